import type { Blocker } from 'react-router';
import { Button } from '~/components/ui/button';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';

/** Asks before changes to `what` are lost; nothing while the guard lets everybody pass. */
export function LeaveDialog({ guard, what }: { guard: Blocker; what: string }) {
  if (guard.state !== 'blocked') return null;
  return (
    <Dialog title="Leave without saving?" narrow onClose={guard.reset}>
      <div className={dialogKit.body}>
        <p className="text-2">Your changes to this {what} are not stored yet.</p>
        <div className={dialogKit.choices}>
          <Button onClick={guard.reset}>Stay</Button>
          <Button look="danger" onClick={guard.proceed}>
            Leave without saving
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
