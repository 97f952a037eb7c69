import { memo, type Ref, type RefObject } from 'react';
import { Link } from 'react-router';
import { Button } from '~/components/ui/button';
import { Checkbox } from '~/components/ui/checkbox';
import { Icon } from '~/components/ui/icon';
import { SeverityMark, StatusMark } from '~/components/ui/mark';
import { Time } from '~/components/ui/time';
import { useChangeIncident } from '~/data/incident-changes';
import { useKeptFocus } from '~/lib/kept-focus';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { useSettledPress } from '~/lib/settled-press';
import { relativeTime } from '~/lib/time/words';
import { shortId } from '~/lib/words';
import { acknowledgeWord, answerMeant, type Incident, needsAnswer } from '../model/incident';
import * as styles from './incident-table.module.css';

interface IncidentRowProps {
  incident: Incident;
  /** Place in the whole list, counted from 1 after the head row. */
  index: number;
  /** Where the list begins in the page. */
  top: number;
  /** Whether the list stands already. */
  stands: RefObject<boolean>;
  selected: boolean;
  now: Date;
  rowRef: Ref<HTMLTableRowElement>;
  onSelect: (id: string, selected: boolean) => void;
  onFocus: (id: string) => void;
}

/** One incident of the list, with the one button it needs. */
export const IncidentRow = memo(function IncidentRow({
  incident,
  index,
  top,
  stands,
  selected,
  now,
  rowRef,
  onSelect,
  onFocus,
}: IncidentRowProps) {
  const id = shortId(incident.id);
  return (
    <tr
      ref={rowRef}
      data-index={index}
      data-row={incident.id}
      className={needsAnswer(incident) ? styles.needed : undefined}
      data-status={incident.status}
      aria-rowindex={index + 2}
      aria-selected={selected}
      onFocus={() => onFocus(incident.id)}
    >
      <td className={styles.pick}>
        {mayAct('responder') && (
          <Checkbox
            label={`Select ${id}`}
            checked={selected}
            onChange={(checked) => onSelect(incident.id, checked)}
          />
        )}
      </td>
      <td className={`${styles.id} mono`}>{id}</td>
      <td className={styles.summary}>
        <Link className={styles.title} to={paths.incident(incident.id)}>
          {incident.title}
        </Link>
      </td>
      <td className={styles.stateOf}>
        <StatusMark value={incident.status} />
      </td>
      <td className={styles.severity}>
        <SeverityMark value={incident.severity} />
      </td>
      <td className={styles.service}>{incident.serviceName}</td>
      <td className={styles.created}>
        <span className={styles.serviceInline}>
          {incident.serviceName ? `${incident.serviceName}, ` : ''}
        </span>
        <Time at={incident.triggeredAt}>{relativeTime(incident.triggeredAt, now)}</Time>
      </td>
      <td className={styles.actions}>
        <RowActions incident={incident} place={`${top} ${index}`} stands={stands} />
      </td>
    </tr>
  );
});

interface RowActionsProps extends Pick<IncidentRowProps, 'incident' | 'stands'> {
  place: string;
}

function RowActions({ incident, place: at, stands }: RowActionsProps) {
  const change = useChangeIncident();
  const place = useKeptFocus<HTMLDivElement>(change.isPending);
  // Rows move up and down under a thumb, by themselves and with the list, and new ones come.
  const settled = useSettledPress(answerMeant(incident), at, stands);
  const id = shortId(incident.id);
  const may = mayAct('responder');
  return (
    <div ref={place}>
      <span className={`${styles.statusWord} mono`}>[{incident.status}]</span>
      {may && needsAnswer(incident) && (
        <Button
          look="person"
          size="sm"
          aria-label={incident.confirmationWanted ? `Acknowledge ${id} again` : `Acknowledge ${id}`}
          disabled={change.isPending}
          labels={['Acknowledging...']}
          onClick={settled(() => change.mutate({ verb: 'acknowledge', incident }))}
        >
          {change.isPending ? 'Acknowledging...' : acknowledgeWord(incident)}
        </Button>
      )}
      {may && incident.status === 'acknowledged' && !incident.confirmationWanted && (
        <Button
          size="sm"
          icon="check"
          aria-label={`Resolve ${id}`}
          disabled={change.isPending}
          labels={['Resolving...']}
          onClick={settled(() => change.mutate({ verb: 'resolve', incident }))}
        >
          {change.isPending ? 'Resolving...' : 'Resolve'}
        </Button>
      )}
      <Link className={styles.open} to={paths.incident(incident.id)} aria-label={`Open ${id}`} tabIndex={-1}>
        <Icon name="chevron-right" />
      </Link>
    </div>
  );
}
