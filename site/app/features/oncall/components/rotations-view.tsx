import { useQuery } from '@tanstack/react-query';
import { Avatar } from '~/components/ui/avatar';
import { DataTable } from '~/components/ui/data-table';
import { Empty } from '~/components/ui/states';
import { useHues } from '~/data/members';
import { scheduleTimeline } from '~/data/schedules';
import { freshFor } from '~/lib/query-client';
import { momentWords, soonWords } from '~/lib/time/zone-words';
import { matchingRotations, type RotationRow } from '../model/filter';
import { askedRange, rangeAt } from '../model/range';
import { type Schedule, type Shift, toPicture } from '../model/schedule';
import { cadenceWords, windowWords } from '../model/words';
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
      <DataTable
        label="Rotations"
        className={styles.rotationTable}
        rows={pages.shown}
        keyOf={({ schedule, rotation }) => `${schedule.id}/${rotation.id}`}
        columns={[
          { head: 'Rotation', className: styles.name, cell: ({ rotation }) => rotation.name },
          {
            head: 'Schedule',
            cell: ({ schedule }) => (
              <button type="button" className={styles.plainLink} onClick={() => onSelect(schedule.id)}>
                {schedule.name}
              </button>
            ),
          },
          { head: 'Cadence', cell: Cadence },
          {
            head: 'On call now',
            className: styles.onNow,
            cell: (row) => <OnNow row={row} now={now} />,
          },
          { head: 'Next handover', cell: (row) => <Handover row={row} now={now} /> },
        ]}
      />
      <Pager pages={pages} what="rotations" />
    </>
  );
}

interface CellProps {
  row: RotationRow;
  now: number;
}

function Cadence({ rotation }: RotationRow) {
  return (
    <>
      {cadenceWords(rotation)}
      {rotation.windows.length > 0 && <small>{windowWords(rotation.windows)}</small>}
    </>
  );
}

// The turns of a rotation in the days ahead: undefined until they are known.
function useShifts({ row: { rotation, schedule }, now }: CellProps): readonly Shift[] | undefined {
  const range = rangeAt(now, 'fortnight', schedule.zone);
  const { data } = useQuery({
    ...scheduleTimeline(schedule.id, askedRange(range)),
    staleTime: freshFor.list,
    refetchInterval: freshFor.list, // others change schedules and overrides
    select: toPicture,
  });
  return data && (data.layers.find((layer) => layer.id === rotation.id)?.shifts ?? []);
}

const isOn = (now: number) => (shift: Shift) => shift.from <= now && now < shift.to;

function OnNow(props: CellProps) {
  const hueOf = useHues();
  const shifts = useShifts(props);
  const ended = props.row.rotation.endsAt;
  const on = shifts?.find(isOn(props.now));
  if (!shifts) return null;
  if (!on)
    return <span className="text-3">{ended !== null && ended <= props.now ? 'Ended' : 'Off now'}</span>;
  return on.people.map((person) => (
    <span key={person.id} className="row">
      <Avatar name={person.name} hue={hueOf(person.id)} />
      {person.name}
    </span>
  ));
}

function Handover(props: CellProps) {
  const shifts = useShifts(props);
  const { now, row } = props;
  const { zone } = row.schedule;
  if (!shifts) return null;
  const on = shifts.find(isOn(now));
  const next = shifts.find((shift) => shift.from > now);
  const handover = on ? on.to : next?.from;
  if (!handover || (on && on.to === shifts.at(-1)?.to && !next))
    return <span className="text-3">Not in the next weeks</span>;
  return (
    <span title={`${momentWords(handover, zone)}, ${zone}`}>
      <span className="only-phone">Next </span>
      {soonWords(handover, zone, now)}
      {next && <small>{nextWords(on, next, zone, now)}</small>}
    </span>
  );
}

function nextWords(on: Shift | undefined, next: Shift, zone: string, now: number): string {
  const names = next.people.map((person) => person.name).join(', ');
  return on && next.from > on.to ? `Off until ${soonWords(next.from, zone, now)}, ${names}` : names;
}
