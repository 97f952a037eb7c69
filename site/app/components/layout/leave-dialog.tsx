import { useEffect, useState } from 'react';
import { useBlocker } from 'react-router';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { holdsBack, holdsBackFrom, setAsker } from '~/lib/leave-guard';

/**
 * Asks before what is not stored on screen is lost: on the way to another page, and with `leave` before a way
 * out that is no link, such as the end of the session. What is stored meanwhile is not asked about any longer.
 */
export function useAskedFirst() {
  const [asked, setAsked] = useState<{ go: () => void } | null>(null);
  const link = useBlocker(holdsBackFrom);
  // The router forgets its question in a transition, and takes a second answer until then for a fault.
  const [answered, setAnswered] = useState<unknown>();
  const [saving, tell] = useState(false);
  const leave = (go: () => void) => (holdsBack() ? setAsked({ go }) : go());
  const open = asked || (link.state === 'blocked' && link.location !== answered);
  const answer = (goes: boolean) => {
    setAsked(null);
    setAnswered(link.location);
    link[goes ? 'proceed' : 'reset']?.();
    if (goes) asked?.go();
  };
  const way = () => answer(true);
  useEffect(() => setAsker({ way: open ? way : null, tell }));
  const verb = saving ? 'Leave while it is saved' : 'Leave without saving';
  const question = open && (
    <ConfirmDialog title={`${verb}?`} verb={verb} back="Stay" onConfirm={way} onClose={() => answer(false)}>
      <p className="text-2">
        Your changes to this page are{' '}
        {saving ? 'being saved. Leaving does not stop that.' : 'not stored yet.'}
      </p>
    </ConfirmDialog>
  );
  return { leave, question };
}
