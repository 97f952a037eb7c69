import { useState } from 'react';
import { useBlocker } from 'react-router';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { holdsBack, holdsBackFrom } from '~/lib/leave-guard';

/**
 * Asks before what is not stored on screen is lost: on the way to another page, and with `leave` before a way
 * out that is no link, such as the end of the session.
 */
export function useAskedFirst() {
  const [asked, setAsked] = useState<{ go: () => void } | null>(null);
  const link = useBlocker(holdsBackFrom);
  const leave = (go: () => void) => (holdsBack() ? setAsked({ go }) : go());
  const onConfirm = () => {
    setAsked(null);
    link.proceed?.();
    asked?.go();
  };
  const onClose = () => {
    setAsked(null);
    link.reset?.();
  };
  const question = (asked || link.state === 'blocked') && (
    <ConfirmDialog
      title="Leave without saving?"
      verb="Leave without saving"
      back="Stay"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p className="text-2">Your changes to this page are not stored yet.</p>
    </ConfirmDialog>
  );
  return { leave, question };
}
