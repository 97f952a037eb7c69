import { useEffect, useState, useSyncExternalStore } from 'react';
import { Icon } from '~/components/ui/icon';
import { clockTime } from '~/lib/format';
import { liveStatus, subscribeLive } from '~/lib/live';

// A reconnect within this time is not worth a word.
const patience = 4000;

/** A thin bar that says the page may be old; amber only while incidents are unacknowledged. */
export function NotLive({ needed }: { needed: boolean }) {
  const { live, lastHeard } = useSyncExternalStore(subscribeLive, liveStatus, liveStatus);
  const [patient, setPatient] = useState(true);
  useEffect(() => {
    setPatient(true);
    if (live) return;
    const timer = setTimeout(() => setPatient(false), patience);
    return () => clearTimeout(timer);
  }, [live]);
  if (live || patient) return null;
  return (
    <div className={needed ? 'not-live needed' : 'not-live'} role="status">
      <Icon name="refresh" />
      {lastHeard > 0
        ? `Not live. Last update ${clockTime(new Date(lastHeard))}.`
        : 'Not live. Connecting to the server.'}
    </div>
  );
}
