import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import { useConfirmCopy } from '~/data/installation';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { reasonOf } from '~/lib/api';

/** Asks once more, because two installations with the same data page everybody twice. */
export function ConfirmCopyDialog({ onClose }: { onClose: () => void }) {
  const confirm = useConfirmCopy();
  return (
    <Dialog title="Does this copy replace the original?" narrow onClose={onClose}>
      <div className={dialogKit.body}>
        {confirm.isError && <Banner tone="failed">{reasonOf(confirm.error)}</Banner>}
        <p>
          Confirm it only when the original is switched off for good. Otherwise both page the same people.
        </p>
        <div className={dialogKit.choices}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={confirm.isPending}
            labels={['Confirming...']}
            onClick={() => confirm.mutate(undefined, { onSuccess: onClose })}
          >
            {confirm.isPending ? 'Confirming...' : 'It replaces it'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
