import { useQuery } from '@tanstack/react-query';
import { Avatar } from '~/components/ui/avatar';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { useHues } from '~/data/members';
import { scheduleTimeline } from '~/data/schedules';
import { matchingRotations, type RotationRow } from '../model/filter';
import { askedRange, rangeAt } from '../model/range';
import { type Schedule, type Shift, toPicture } from '../model/schedule';
import { cadenceWords, momentWords, soonWords, windowWords } from '../model/words';
import { Pager, usePages } from './pager';
import * as styles from './schedule-lists.module.css';
import { useNarrow } from './use-narrow';

const [pageSize, phonePageSize] = [15, 6];

interface RotationsViewProps {
  schedules: readonly Schedule[];
  text: string;
  now: number;
  onSelect: (scheduleId: string) => void;
}

/** The rotations of all schedules: how often turns change, who is on now, and until when. */
export function RotationsView({ schedules, text, now, onSelect }: RotationsViewProps) {
  const found = matchingRotations(schedules, text);
  const pages = usePages(found, useNarrow() ? phonePageSize : pageSize);
  if (found.length === 0) {
    return <Empty>{text.trim() ? `No rotation matches "${text.trim()}".` : 'No rotation yet.'}</Empty>;
  }
  return (
    <>
      <table className={`${tableKit.table} ${styles.rotationTable}`} aria-label="Rotations">
        <thead>
          <tr>
            {['Rotation', 'Schedule', 'Cadence', 'On call now', 'Next handover'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pages.shown.map((row) => (
            <Row key={`${row.schedule.id}/${row.rotation.id}`} row={row} now={now} onSelect={onSelect} />
          ))}
        </tbody>
      </table>
      <Pager pages={pages} what="rotations" />
    </>
  );
}

function Row({
  row: { rotation, schedule },
  now,
  onSelect,
}: {
  row: RotationRow;
  now: number;
  onSelect: (scheduleId: string) => void;
}) {
  const range = rangeAt(now, 'fortnight', schedule.zone);
  const layers = useQuery({ ...scheduleTimeline(schedule.id, askedRange(range)), select: toPicture }).data
    ?.layers;
  const shifts = layers?.find((layer) => layer.id === rotation.id)?.shifts ?? [];
  return (
    <tr>
      <td className={styles.name}>{rotation.name}</td>
      <td>
        <button type="button" className={styles.plainLink} onClick={() => onSelect(schedule.id)}>
          {schedule.name}
        </button>
      </td>
      <td>
        {cadenceWords(rotation)}
        {rotation.windows.length > 0 && <small>{windowWords(rotation.windows)}</small>}
      </td>
      {layers ? (
        <OnNow shifts={shifts} now={now} zone={schedule.zone} ended={rotation.endsAt} />
      ) : (
        <Waiting />
      )}
    </tr>
  );
}

function Waiting() {
  return (
    <>
      <td />
      <td />
    </>
  );
}

function OnNow({
  shifts,
  now,
  zone,
  ended,
}: {
  shifts: readonly Shift[];
  now: number;
  zone: string;
  ended: number | null;
}) {
  const hueOf = useHues();
  const on = shifts.find((shift) => shift.from <= now && now < shift.to);
  const next = shifts.find((shift) => shift.from > now);
  const handover = on ? on.to : next?.from;
  const last = shifts.at(-1)?.to;
  return (
    <>
      <td className={styles.onNow}>
        {on?.people.map((person) => (
          <span key={person.id} className="row">
            <Avatar name={person.name} hue={hueOf(person.id)} />
            {person.name}
          </span>
        ))}
        {!on && <span className="text-3">{ended !== null && ended <= now ? 'Ended' : 'Off now'}</span>}
      </td>
      <td title={handover ? `${momentWords(handover, zone)}, ${zone}` : undefined}>
        {handover && !(on && on.to === last && !next) ? (
          <>
            <span className="only-phone">Next </span>
            {soonWords(handover, zone, now)}
            {next && <small>{nextWords(on, next, zone, now)}</small>}
          </>
        ) : (
          <span className="text-3">Not in the next weeks</span>
        )}
      </td>
    </>
  );
}

function nextWords(on: Shift | undefined, next: Shift, zone: string, now: number): string {
  const names = next.people.map((person) => person.name).join(', ');
  return on && next.from > on.to ? `Off until ${soonWords(next.from, zone, now)}, ${names}` : names;
}
