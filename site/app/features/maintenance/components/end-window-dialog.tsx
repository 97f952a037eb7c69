import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import { useEndWindow } from '~/data/maintenance';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { reasonOf } from '~/lib/api';
import { endingSentence, type MaintenanceWindow } from '../model/window';

/** Ends a window after saying what that does to the incidents it holds. */
export function EndWindowDialog({ window, onClose }: { window: MaintenanceWindow; onClose: () => void }) {
  const end = useEndWindow();
  const ahead = window.state === 'scheduled';
  return (
    <Dialog title={ahead ? 'Call off maintenance' : 'End maintenance'} narrow onClose={onClose}>
      <div className={dialogKit.body}>
        {end.isError && <Banner tone="failed">{reasonOf(end.error)}</Banner>}
        <p className="text-2">
          <b className="strong">{window.description}</b>, {window.services.join(', ')}.
        </p>
        <p>{endingSentence(window)}</p>
        <div className={dialogKit.choices}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={end.isPending}
            onClick={() => end.mutate(window.id, { onSuccess: onClose })}
          >
            {end.isPending ? 'Ending...' : ahead ? 'Call off' : 'End now'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
