import { Link } from 'react-router';
import { Avatar } from '~/components/ui/avatar';
import { Badge } from '~/components/ui/badge';
import * as buttonKit from '~/components/ui/button.module.css';
import { type Column, DataTable } from '~/components/ui/data-table';
import { Icon } from '~/components/ui/icon';
import { Empty } from '~/components/ui/states';
import { useHues } from '~/data/members';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { isExpectedGap } from '../model/expected-gap';
import { matchingSchedules } from '../model/filter';
import type { Problem, Schedule } from '../model/schedule';
import { Pager, usePages } from './pager';
import * as styles from './schedule-lists.module.css';

const pageSize = 10;

interface SchedulesViewProps {
  schedules: readonly Schedule[];
  /** What is wrong with coverage in the days ahead, over all schedules. */
  problems: readonly Problem[];
  selectedId: string;
  text: string;
  onSelect: (id: string) => void;
}

/** Every schedule. Choosing one shows its picture below. */
export function SchedulesView({ schedules, problems, selectedId, text, onSelect }: SchedulesViewProps) {
  const found = matchingSchedules(schedules, text);
  const pages = usePages(found, pageSize);
  const mayEdit = mayAct('admin');
  if (found.length === 0) return <Empty>No schedule matches "{text.trim()}".</Empty>;
  return (
    <>
      <DataTable
        label="Schedules"
        className={styles.scheduleTable}
        rows={pages.shown}
        rowCount={found.length}
        keyOf={({ id }) => id}
        rowProps={({ id }, i) => ({
          'aria-rowindex': pages.first + i + 2,
          className: id === selectedId ? styles.chosen : undefined,
          onClick: (event) => {
            if (!(event.target instanceof Element && event.target.closest('a, button'))) onSelect(id);
          },
        })}
        columns={[
          {
            head: 'Name',
            className: styles.name,
            cell: (schedule) => (
              <span className="row">
                <button
                  type="button"
                  aria-pressed={schedule.id === selectedId}
                  onClick={() => onSelect(schedule.id)}
                >
                  {schedule.name}
                </button>
                <OnNow
                  schedule={schedule}
                  problems={problems.filter((one) => one.scheduleId === schedule.id)}
                />
              </span>
            ),
          },
          ...columns,
          mayEdit && { head: 'Edit', quiet: true, className: styles.edit, cell: Edit },
        ]}
      />
      <Pager pages={pages} what="schedules" />
      {!mayEdit && (
        <p className={styles.listNote}>
          {mayAct('responder')
            ? 'Admins change schedules. You can take over a shift on the picture below.'
            : 'You can look at schedules. Responders take over shifts, and admins change schedules.'}
        </p>
      )}
    </>
  );
}

const none = <span className="text-3">None</span>;

const columns: Column<Schedule>[] = [
  { head: 'Description', className: styles.about, cell: ({ description }) => description },
  { head: 'Team', className: styles.team, cell: ({ team }) => team || none },
  { head: 'Escalation Policy', className: styles.policy, cell: ({ policy }) => policy || none },
  {
    head: 'Status',
    className: styles.status,
    cell: ({ active }) => <span data-off={!active || undefined}>{active ? 'Active' : 'Inactive'}</span>,
  },
];

function Edit({ id, name }: Schedule) {
  return (
    <Link
      className={buttonKit.button}
      data-look="quiet"
      data-size="sm"
      data-square
      to={paths.schedule(id)}
      aria-label={`Edit ${name}`}
    >
      <Icon name="edit" />
    </Link>
  );
}

// A face says it before the row is chosen.
function OnNow({ schedule, problems }: { schedule: Schedule; problems: readonly Problem[] }) {
  const hueOf = useHues();
  const people = schedule.onCall?.current.people ?? [];
  if (!schedule.active || !schedule.onCall) return null;
  if (people.length === 0) {
    const expected = isExpectedGap(schedule.onCall.current, problems);
    return expected ? <Badge>Off now</Badge> : <Badge tone="amber">Nobody</Badge>;
  }
  const names = people.map((person) => person.name).join(', ');
  return (
    <span className={styles.faces} title={`${names} on call now`}>
      {people.slice(0, 3).map((person) => (
        <Avatar key={person.id} name={person.name} hue={hueOf(person.id)} />
      ))}
      <span className="visually-hidden">{names} on call now</span>
    </span>
  );
}
