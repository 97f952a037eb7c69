import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { Icon } from '~/components/ui/icon';
import { SeverityMark } from '~/components/ui/mark';
import { useChangeSeverity } from '~/data/incident-changes';
import { reasonOf } from '~/lib/api';
import type { Incident } from '../model/incident';
import { severities, severityMeaning } from '../model/severity';
import * as styles from './choice-list.module.css';
import { choiceState, underWay } from './choice-state';

/** Says that it is worse, or less bad, than it seemed. Choosing is enough. */
export function SeverityDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const change = useChangeSeverity(incident.id);
  return (
    <Dialog title="Severity" narrow saving={change.isPending} onClose={onClose}>
      <div className={dialogKit.body}>
        {change.isError && <Banner tone="failed">{reasonOf(change.error)}</Banner>}
        <ul className={styles.choices}>
          {severities.map((severity) => (
            <li key={severity}>
              <button
                type="button"
                aria-current={severity === incident.severity ? 'true' : undefined}
                {...choiceState(underWay(change), severity)}
                onClick={() => change.mutate(severity, { onSuccess: onClose })}
              >
                <span className="grow">
                  <SeverityMark value={severity} />
                  <span className="text-3 size-12"> {severityMeaning[severity]}</span>
                </span>
                {severity === incident.severity && <Icon name="check" />}
              </button>
            </li>
          ))}
        </ul>
        <p className={dialogKit.note}>
          When it becomes worse, whoever was paged is told, and whoever acknowledged it is asked again. A
          lower one stays until an alert says something new.
        </p>
      </div>
    </Dialog>
  );
}
