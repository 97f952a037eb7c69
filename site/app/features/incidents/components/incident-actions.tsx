import { useEffect, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Kbd } from '~/components/ui/kbd';
import { useChangeIncident } from '~/data/incident-changes';
import { useStoredFlag } from '~/lib/storage-flag';
import { acknowledgeWord, type Incident, needsAnswer } from '../model/incident';
import { AssignDialog } from './assign-dialog';
import { EscalateDialog } from './escalate-dialog';
import * as styles from './incident-actions.module.css';

/** Assign, Escalate and the one button that matters now. On a phone they are pinned to the thumb. */
export function IncidentActions({ incident }: { incident: Incident }) {
  const change = useChangeIncident(incident.id);
  const [open, setOpen] = useState<'assign' | 'escalate' | null>(null);
  const waiting = needsAnswer(incident);
  useAcknowledgeKey(waiting && !change.isPending && open === null, () => change.mutate('acknowledge'));
  const over = incident.status === 'resolved';
  return (
    <div className={styles.incidentActions}>
      <Button icon="assign" aria-label="Assign" onClick={() => setOpen('assign')}>
        <span className={styles.word}>Assign</span>
      </Button>
      <Button icon="up" aria-label="Escalate" disabled={over} onClick={() => setOpen('escalate')}>
        <span className={styles.word}>Escalate</span>
      </Button>
      {waiting && (
        <Button
          look="person"
          className={styles.mainAction}
          disabled={change.isPending}
          onClick={() => change.mutate('acknowledge')}
        >
          {change.isPending ? 'Acknowledging...' : acknowledgeWord(incident)}
          <Kbd className="hide-phone">A</Kbd>
        </Button>
      )}
      {incident.status === 'acknowledged' && !waiting && (
        <Button
          look="primary"
          icon="check"
          className={styles.mainAction}
          disabled={change.isPending}
          labels={['Resolving...']}
          onClick={() => change.mutate('resolve')}
        >
          {change.isPending ? 'Resolving...' : 'Resolve'}
        </Button>
      )}
      {open === 'assign' && <AssignDialog incident={incident} onClose={() => setOpen(null)} />}
      {open === 'escalate' && <EscalateDialog incident={incident} onClose={() => setOpen(null)} />}
    </div>
  );
}

// The same switch as the list's keys turns this one off.
function useAcknowledgeKey(enabled: boolean, acknowledge: () => void): void {
  const [keysOn] = useStoredFlag('single-keys', true);
  useEffect(() => {
    if (!enabled || !keysOn) return;
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key === 'a' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) acknowledge();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}
