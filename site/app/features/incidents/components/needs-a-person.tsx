import { Link } from 'react-router';
import { Button } from '~/components/ui/button';
import { SeverityMark } from '~/components/ui/mark';
import { useChangeIncident } from '~/data/incident-changes';
import { useKeptFocus } from '~/lib/kept-focus';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { useSettledPress } from '~/lib/settled-press';
import { useNow } from '~/lib/time/clock';
import { clock } from '~/lib/time/counter';
import { shortId } from '~/lib/words';
import { acknowledgeWord, answerMeant, type Incident } from '../model/incident';
import * as styles from './needs-a-person.module.css';
import { useNeeded } from './use-needed';

/** The worst unacknowledged incident with its button; nothing while nobody is needed. */
export function NeedsAPerson() {
  const { incidents, total, expected } = useNeeded();
  const [worst] = incidents;
  // Where nobody was needed it comes under a thumb on its way to what stood there.
  const settled = useSettledPress(worst ? answerMeant(worst) : '', worst || expected ? 1 : 0);
  // The place is kept, so that nothing moves under a thumb on its way.
  if (!worst) return expected ? <div className={`${styles.caution} ${styles.unknown}`} /> : null;
  return (
    <Caution key={worst.id} incident={worst} others={incidents.slice(1)} more={total - 1} settled={settled} />
  );
}

interface CautionProps {
  incident: Incident;
  /** Those of the others that are loaded, and how many there are. */
  others: readonly Incident[];
  more: number;
  settled: ReturnType<typeof useSettledPress>;
}

function Caution({ incident, others, more, settled }: CautionProps) {
  // The open ones of the list are those that nobody has acknowledged even once.
  const open = others.every(({ status }) => status === 'triggered');
  const change = useChangeIncident();
  const place = useKeptFocus<HTMLElement>(change.isPending);
  const now = useNow(1000);
  return (
    <section ref={place} className={styles.caution} aria-label="Needs a person">
      <div>
        <h2>
          <Link to={paths.incident(incident.id)}>
            <span className="mono">{shortId(incident.id)}</span> {incident.title}
          </Link>
        </h2>
        <p>
          <SeverityMark value={incident.severity} />
          {incident.serviceName && <span>{incident.serviceName}</span>}
          {more > 0 && (
            <Link to={open ? `${paths.incidents}?filter=open` : paths.incidents}>
              and {more} more unacknowledged
            </Link>
          )}
        </p>
      </div>
      <span className={`${styles.age} mono`}>
        {clock((now.getTime() - incident.triggeredAt.getTime()) / 1000)}
      </span>
      {mayAct('responder') && (
        <Button
          look="person"
          disabled={change.isPending}
          labels={['Acknowledging...']}
          onClick={settled(() => change.mutate({ verb: 'acknowledge', incident }))}
        >
          {change.isPending ? 'Acknowledging...' : acknowledgeWord(incident)}
        </Button>
      )}
    </section>
  );
}
