import { Button } from '~/components/ui/button';
import { Dialog } from '~/components/ui/dialog';

/** Asks before changes are lost. */
export function LeaveDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Dialog title="Leave without saving?" narrow onClose={onStay}>
      <div className="body">
        <p className="text-2">Your changes to this policy are not stored yet.</p>
        <div className="choices">
          <Button onClick={onStay}>Stay</Button>
          <Button look="danger" onClick={onLeave}>
            Leave without saving
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
