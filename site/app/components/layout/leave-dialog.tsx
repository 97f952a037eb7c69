import { useState } from 'react';
import type { Blocker } from 'react-router';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { holdsBack } from '~/lib/leave-guard';

interface LeaveDialogProps {
  guard: Pick<Blocker, 'state' | 'proceed' | 'reset'>;
  what: string;
}

/** Asks before changes to `what` are lost; nothing while the guard lets everybody pass. */
export function LeaveDialog({ guard, what }: LeaveDialogProps) {
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

/** Asks before a way out that is no link, such as the end of the session, for whatever is not stored on screen. */
export function useAskedFirst() {
  const [asked, setAsked] = useState<{ go: () => void } | null>(null);
  const leave = (go: () => void) => (holdsBack() ? setAsked({ go }) : go());
  const reset = () => setAsked(null);
  const proceed = () => {
    reset();
    asked?.go();
  };
  const question = (
    <LeaveDialog guard={{ state: asked ? 'blocked' : 'unblocked', proceed, reset }} what="page" />
  );
  return { leave, question };
}
