import { useState } from 'react';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { Icon } from '~/components/ui/icon';
import { useSnoozeIncident } from '~/data/incident-changes';
import { reasonOf } from '~/lib/api';
import { nightTime } from '~/lib/time/words';
import type { Incident } from '../model/incident';
import { snoozes } from '../model/snooze';
import * as styles from './choice-list.module.css';
import { choiceState, underWay } from './choice-state';

/** Says for how long nobody is to be paged. Choosing is enough. */
export function SnoozeDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const snooze = useSnoozeIncident(incident);
  const [now] = useState(() => new Date());
  return (
    <Dialog title="Snooze" narrow saving={snooze.isPending} onClose={onClose}>
      <div className={dialogKit.body}>
        {snooze.isError && <Banner tone="failed">{reasonOf(snooze.error)}</Banner>}
        <ul className={styles.choices}>
          {snoozes(now).map(({ word, seconds, until }) => (
            <li key={word}>
              <button
                type="button"
                {...choiceState(underWay(snooze), seconds)}
                onClick={() => snooze.mutate(seconds, { onSuccess: onClose })}
              >
                <Icon name="clock" />
                <span className="grow">{word}</span>
                <span className="mono text-3 size-12">{nightTime(until, now).replace(/:\d\d$/, '')}</span>
              </button>
            </li>
          ))}
        </ul>
        <p className={dialogKit.note}>
          You have it until then, and nobody is paged. If it is not resolved by then, its policy pages from
          the first step. Should it become more severe, you are asked again.
        </p>
      </div>
    </Dialog>
  );
}
