import { useEffect, useState, useSyncExternalStore } from 'react';
import { useBlocker } from 'react-router';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { holdsBack, holdsBackFrom, isSaving, setWay, subscribeSaving } from '~/lib/leave-guard';

/**
 * Asks before what is not stored on screen is lost: on the way to another page, and with `leave` before a way
 * out that is no link, such as the end of the session. What is stored meanwhile is not asked about any longer.
 */
export function useAskedFirst() {
  const [asked, setAsked] = useState<{ go: () => void } | null>(null);
  const link = useBlocker(holdsBackFrom);
  // The router forgets its question in a transition, and takes a second answer until then for a fault.
  const [answered, setAnswered] = useState<unknown>();
  const saving = useSyncExternalStore(subscribeSaving, isSaving, () => false);
  const leave = (go: () => void) => (holdsBack() ? setAsked({ go }) : go());
  const open = asked || (link.state === 'blocked' && link.location !== answered);
  const close = () => {
    setAsked(null);
    setAnswered(link.location);
  };
  const onConfirm = () => {
    close();
    link.proceed?.();
    asked?.go();
  };
  const onClose = () => {
    close();
    link.reset?.();
  };
  useEffect(() => {
    setWay(open ? onConfirm : null);
    return () => setWay(null);
  });
  const question = open && (
    <ConfirmDialog
      title={saving ? 'Leave while it is saved?' : 'Leave without saving?'}
      verb={saving ? 'Leave' : 'Leave without saving'}
      back="Stay"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p className="text-2">
        {saving
          ? 'Your changes to this page are being saved. Leaving does not stop that.'
          : 'Your changes to this page are not stored yet.'}
      </p>
    </ConfirmDialog>
  );
  return { leave, question };
}
