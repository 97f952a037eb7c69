import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { useConfirmCopy } from '~/data/installation';

/** Asks once more, because two installations with the same data page everybody twice. */
export function ConfirmCopyDialog({ onClose }: { onClose: () => void }) {
  const confirm = useConfirmCopy();
  return (
    <ConfirmDialog
      title="Does this copy replace the original?"
      verb="It replaces it"
      doing="Confirming..."
      look="primary"
      pending={confirm.isPending}
      error={confirm.error}
      onConfirm={() => confirm.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>Confirm it only when the original is switched off for good. Otherwise both page the same people.</p>
    </ConfirmDialog>
  );
}
