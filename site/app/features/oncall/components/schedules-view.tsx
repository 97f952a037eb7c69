import { Link } from 'react-router';
import { Avatar } from '~/components/ui/avatar';
import { Badge } from '~/components/ui/badge';
import * as buttonKit from '~/components/ui/button.module.css';
import { Icon } from '~/components/ui/icon';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
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
      <table
        className={`${tableKit.table} ${styles.scheduleTable}`}
        aria-label="Schedules"
        aria-rowcount={found.length + 1}
      >
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Description</th>
            <th scope="col">Team</th>
            <th scope="col">Escalation Policy</th>
            <th scope="col">Status</th>
            {mayEdit && (
              <th scope="col">
                <span className="visually-hidden">Edit</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {pages.shown.map((schedule, i) => (
            <Row
              key={schedule.id}
              schedule={schedule}
              index={pages.first + i + 2}
              problems={problems.filter((one) => one.scheduleId === schedule.id)}
              selected={schedule.id === selectedId}
              mayEdit={mayEdit}
              onSelect={onSelect}
            />
          ))}
        </tbody>
      </table>
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

interface RowProps {
  schedule: Schedule;
  problems: readonly Problem[];
  index: number;
  selected: boolean;
  mayEdit: boolean;
  onSelect: (id: string) => void;
}

function Row({ schedule, problems, index, selected, mayEdit, onSelect }: RowProps) {
  const { id, name, description, team, policy, active } = schedule;
  return (
    <tr
      aria-rowindex={index}
      className={selected ? styles.chosen : undefined}
      onClick={(event) => {
        if (!(event.target instanceof Element && event.target.closest('a, button'))) onSelect(id);
      }}
    >
      <td className={styles.name}>
        <span className="row">
          <button type="button" aria-pressed={selected} onClick={() => onSelect(id)}>
            {name}
          </button>
          <OnNow schedule={schedule} problems={problems} />
        </span>
      </td>
      <td className={styles.about}>{description}</td>
      <td className={styles.team}>{team || <span className="text-3">None</span>}</td>
      <td className={styles.policy}>{policy || <span className="text-3">None</span>}</td>
      <td className={active ? styles.status : `${styles.status} ${styles.off}`}>
        {active ? 'Active' : 'Inactive'}
      </td>
      {mayEdit && (
        <td className={styles.edit}>
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
        </td>
      )}
    </tr>
  );
}

// A face says it before the row is chosen.
function OnNow({ schedule, problems }: Pick<RowProps, 'schedule' | 'problems'>) {
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
