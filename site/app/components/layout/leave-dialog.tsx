import type { Blocker } from 'react-router';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';

/** Asks before changes to `what` are lost; nothing while the guard lets everybody pass. */
export function LeaveDialog({ guard, what }: { guard: Blocker; what: string }) {
  if (guard.state !== 'blocked') return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      verb="Leave without saving"
      back="Stay"
      onConfirm={guard.proceed}
      onClose={guard.reset}
    >
      <p className="text-2">Your changes to this {what} are not stored yet.</p>
    </ConfirmDialog>
  );
}
