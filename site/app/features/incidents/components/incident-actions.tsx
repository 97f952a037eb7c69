import { useState } from 'react';
import { Button } from '~/components/ui/button';
import { Kbd } from '~/components/ui/kbd';
import { useChangeIncident } from '~/data/incident-changes';
import { useKeptFocus } from '~/lib/kept-focus';
import { useKeys } from '~/lib/keys';
import { useSettledPress } from '~/lib/settled-press';
import { acknowledgeWord, answerMeant, type Incident, needsAnswer } from '../model/incident';
import { AssignDialog } from './assign-dialog';
import { EscalateDialog } from './escalate-dialog';
import * as styles from './incident-actions.module.css';
import { SnoozeDialog } from './snooze-dialog';

/** Assign, Escalate and the one button that matters now. On a phone they are pinned to the thumb. */
export function IncidentActions({ incident }: { incident: Incident }) {
  const change = useChangeIncident();
  const place = useKeptFocus<HTMLDivElement>(change.isPending);
  const settled = useSettledPress(answerMeant(incident));
  const [open, setOpen] = useState<'assign' | 'escalate' | 'snooze' | null>(null);
  const waiting = needsAnswer(incident);
  const over = incident.status === 'resolved';
  const section = 'On an incident';
  useKeys([
    {
      keys: 'a',
      word: 'Acknowledge',
      section,
      run: () => waiting && !change.isPending && change.mutate({ verb: 'acknowledge', incident }),
    },
    { keys: 'm', word: 'Assign', section, run: () => !over && setOpen('assign') },
    { keys: 'e', word: 'Escalate', section, run: () => !over && setOpen('escalate') },
    { keys: 'z', word: 'Snooze', section, run: () => !over && setOpen('snooze') },
  ]);
  return (
    <div ref={place} className={styles.incidentActions}>
      <Button icon="assign" aria-label="Assign" disabled={over} onClick={() => setOpen('assign')}>
        <span className={styles.word}>Assign</span>
      </Button>
      <Button icon="up" aria-label="Escalate" disabled={over} onClick={() => setOpen('escalate')}>
        <span className={styles.word}>Escalate</span>
      </Button>
      {!over && (
        <Button icon="clock" aria-label="Snooze" onClick={() => setOpen('snooze')}>
          <span className={styles.word}>Snooze</span>
        </Button>
      )}
      {waiting && (
        <Button
          look="person"
          className={styles.mainAction}
          disabled={change.isPending}
          onClick={settled(() => change.mutate({ verb: 'acknowledge', incident }))}
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
          onClick={settled(() => change.mutate({ verb: 'resolve', incident }))}
        >
          {change.isPending ? 'Resolving...' : 'Resolve'}
        </Button>
      )}
      {open === 'assign' && <AssignDialog incident={incident} onClose={() => setOpen(null)} />}
      {open === 'snooze' && <SnoozeDialog incident={incident} onClose={() => setOpen(null)} />}
      {open === 'escalate' && <EscalateDialog incident={incident} onClose={() => setOpen(null)} />}
    </div>
  );
}
