import { Link } from 'react-router';
import { type Column, DataTable } from '~/components/ui/data-table';
import { SeverityMark, StatusMark } from '~/components/ui/mark';
import type { More } from '~/components/ui/portion';
import { Time } from '~/components/ui/time';
import { paths } from '~/lib/paths';
import { useNow } from '~/lib/time/clock';
import { relativeTime } from '~/lib/time/words';
import { shortId } from '~/lib/words';
import { holder, type Incident } from '../model/incident';
import * as styles from './open-incidents.module.css';

const columns: readonly Column<Incident>[] = [
  {
    head: 'Title',
    className: styles.title,
    cell: ({ id, title }) => (
      <>
        <span className="mono text-3">{shortId(id)}</span> <Link to={paths.incident(id)}>{title}</Link>
      </>
    ),
  },
  { head: 'Status', cell: ({ status }) => <StatusMark value={status} /> },
  { head: 'Severity', cell: ({ severity }) => <SeverityMark value={severity} /> },
  { head: 'Started', className: 'text-2', cell: ({ triggeredAt }) => <Started at={triggeredAt} /> },
  { head: 'Assignee', className: 'text-2', cell: (incident) => holder(incident)?.name ?? 'Unassigned' },
];

/** A list of incidents for pages that are about something else; `source` has those that are not loaded yet. */
export function OpenIncidents({ incidents, source }: { incidents: readonly Incident[]; source: More }) {
  return (
    <DataTable
      label="Active Incidents"
      className={styles.openIncidents}
      rows={incidents}
      keyOf={({ id }) => id}
      rowProps={({ status }) => ({ 'data-status': status })}
      columns={columns}
      source={source}
    />
  );
}

function Started({ at }: { at: Date }) {
  return <Time at={at}>{relativeTime(at, useNow(15_000))}</Time>;
}
