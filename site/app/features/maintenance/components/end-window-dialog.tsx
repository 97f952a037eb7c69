import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { useEndWindow } from '~/data/maintenance';
import { endingSentence, type MaintenanceWindow } from '../model/window';

/** Ends a window after saying what that does to the incidents it holds. */
export function EndWindowDialog({ window, onClose }: { window: MaintenanceWindow; onClose: () => void }) {
  const end = useEndWindow();
  const ahead = window.state === 'scheduled';
  return (
    <ConfirmDialog
      title={ahead ? 'Call off maintenance' : 'End maintenance'}
      verb={ahead ? 'Call off' : 'End now'}
      doing="Ending..."
      look="primary"
      pending={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate(window.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="text-2">
        <b className="strong">{window.description}</b>, {window.services.join(', ')}.
      </p>
      <p>{endingSentence(window)}</p>
    </ConfirmDialog>
  );
}
