import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { dayOf } from '~/lib/time/zone';
import { clockWords, dayLengthWords, dayWords } from '~/lib/time/zone-words';
import {
  type Block,
  blockAfter,
  dayLanes,
  type Jump,
  jumpsOf,
  type Lane,
  peopleOf,
  shortNamesOf,
  wideLanes,
} from '../model/picture';
import type { Range, Span } from '../model/range';
import type { Shift, Timeline } from '../model/schedule';
import { ShiftBlock } from './shift-block';
import { JumpLines, Nights, NowLine, TimeHead } from './timeline-marks';
import * as styles from './timeline-picture.module.css';

interface TimelinePictureProps {
  label: string;
  /** It is about to be drawn again. */
  busy?: boolean;
  timeline: Timeline;
  range: Range;
  span: Span;
  now: number;
  /** One row a day, 24 hours wide, as on a phone. */
  narrow: boolean;
  hueOf: (personId: string) => number | undefined;
  /** A few words under a layer's name. */
  noteOf: (rotationId: string) => string;
  /** Whether a gap is only the time outside of the schedule's hours. */
  isExpected?: (shift: Shift) => boolean;
  onOpen: (block: Block, element: HTMLElement) => void;
}

/** The picture of a schedule, true to time. Arrow keys move between shifts and Enter opens one. */
export function TimelinePicture(props: TimelinePictureProps) {
  const { label, timeline, range, narrow, now, noteOf } = props;
  const hint = useId();
  const lanes = useMemo(
    () => (narrow ? dayLanes(timeline, range) : wideLanes(timeline, range, noteOf)),
    [narrow, timeline, range, noteOf],
  );
  const jumps = useMemo(() => jumpsOf(timeline, range), [timeline, range]);
  const shortNames = useMemo(() => shortNamesOf(peopleOf(timeline)), [timeline]);
  const longest = Math.max(...lanes.map((lane) => lane.to - lane.from));
  const roving = useRoving(lanes, now);
  return (
    <div
      className={narrow ? `${styles.timeline} ${styles.byDay}` : styles.timeline}
      data-span={narrow ? undefined : props.span}
    >
      <TimeHead
        range={range}
        span={props.span}
        zone={timeline.zone}
        now={now}
        jumps={jumps}
        narrow={narrow}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: rows of freely lying shifts, moved through with arrow keys. */}
      <div
        ref={roving.ref}
        role="grid"
        tabIndex={-1}
        aria-label={label}
        aria-busy={props.busy}
        aria-describedby={hint}
        className={styles.lanes}
        onKeyDown={roving.onKey}
      >
        {!narrow && <Backdrop {...props} jumps={jumps} />}
        {lanes.map((lane, i) => (
          <LaneRow
            key={lane.key}
            {...props}
            lane={lane}
            index={i}
            jumps={jumps}
            shortNames={shortNames}
            share={(lane.to - lane.from) / longest}
            reachable={roving.at.lane === i ? roving.at.place : null}
          />
        ))}
      </div>
      <p id={hint} className="visually-hidden">
        Arrow keys move between shifts, Enter opens one.
      </p>
    </div>
  );
}

// Nights below the shifts, the time and the clock changes above them, once for all lanes.
function Backdrop({ range, span, timeline, now, jumps }: TimelinePictureProps & { jumps: readonly Jump[] }) {
  return (
    <div className={styles.backdrop} aria-hidden="true">
      <Nights range={range} zone={timeline.zone} span={span} />
      <JumpLines range={range} jumps={jumps} />
      <NowLine range={range} now={now} />
    </div>
  );
}

interface LaneRowProps extends TimelinePictureProps {
  lane: Lane;
  index: number;
  jumps: readonly Jump[];
  shortNames: ReadonlyMap<string, string>;
  /** How wide the lane is: a day of 23 hours is shorter than one of 24. */
  share: number;
  reachable: number | null;
}

function LaneRow(props: LaneRowProps) {
  const { lane, index, share, reachable, timeline, hueOf, onOpen, now, narrow, jumps, shortNames } = props;
  const today = narrow && lane.from <= now && now < lane.to;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the shifts inside take the focus.
    // biome-ignore lint/a11y/useSemanticElements: see the grid.
    <div role="row" className={today ? `${styles.lane} ${styles.today}` : styles.lane} data-look={lane.look}>
      <LaneHead lane={lane} narrow={narrow} zone={timeline.zone} now={now} />
      <div
        className={styles.track}
        role="presentation"
        style={narrow ? { width: `${share * 100}%` } : undefined}
      >
        {narrow && <Nights range={lane} zone={timeline.zone} span="day" />}
        {lane.blocks.map((block, place) => (
          <ShiftBlock
            key={block.key}
            block={block}
            lane={lane}
            zone={timeline.zone}
            place={`${index}-${place}`}
            reachable={reachable === place}
            past={block.shift.to <= now}
            expected={props.isExpected?.(block.shift) ?? false}
            hues={block.shift.people.map((person) => hueOf(person.id))}
            shortNames={shortNames}
            onOpen={onOpen}
          />
        ))}
        {lane.blocks.length === 0 && <EmptyCell />}
        {narrow && <JumpLines range={lane} jumps={jumps} />}
        {today && <NowLine range={lane} now={now} />}
      </div>
    </div>
  );
}

function LaneHead({ lane, narrow, zone, now }: { lane: Lane; narrow: boolean; zone: string; now: number }) {
  const [name, note] = narrow ? dayHead(lane, zone, now) : [lane.name, lane.note];
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: a head is read, not operated.
    // biome-ignore lint/a11y/useSemanticElements: see the grid.
    <div role="rowheader" className={styles.laneHead}>
      <span className="ellipsis">{name}</span>
      {note && (
        <small className="ellipsis" title={note}>
          {note}
        </small>
      )}
    </div>
  );
}

// A row needs a cell for assistive technology, also when nobody is on in it.
function EmptyCell() {
  // biome-ignore lint/a11y/useFocusableInteractive: there is nothing to operate.
  // biome-ignore lint/a11y/useSemanticElements: see the grid.
  return <div role="gridcell" aria-label="Nothing in this time" />;
}

function dayHead(lane: Lane, zone: string, now: number): [string, string] {
  const day = dayOf(lane.from, zone);
  const words = dayLengthWords(lane);
  const odd = words === '24 h' ? '' : words;
  return [dayWords(day, false), lane.from <= now && now < lane.to ? clockWords(now, zone) : odd];
}

// One block of the picture is reachable with Tab: the last one that had the focus, at first who is on now.
function useRoving(lanes: readonly Lane[], now: number) {
  const ref = useRef<HTMLDivElement>(null);
  const [moved, setMoved] = useState<{ lane: number; place: number } | null>(null);
  const at = moved && lanes[moved.lane]?.blocks[moved.place] ? moved : blockAt(lanes, now);
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const place = event.target instanceof HTMLElement ? event.target.dataset.place : undefined;
    if (!place) return;
    const [lane = 0, index = 0] = place.split('-').map(Number);
    const next = blockAfter(lanes, { lane, place: index }, event.key);
    if (!next) return;
    event.preventDefault();
    setMoved(next);
    ref.current?.querySelector<HTMLElement>(`[data-place="${next.lane}-${next.place}"]`)?.focus();
  };
  return { ref, at, onKey };
}

function blockAt(lanes: readonly Lane[], now: number): { lane: number; place: number } {
  const lane = lanes.findIndex((one) => one.blocks.some((block) => block.from <= now && now < block.to));
  if (lane >= 0) {
    const blocks = lanes[lane]?.blocks ?? [];
    return { lane, place: blocks.findIndex((block) => block.from <= now && now < block.to) };
  }
  return {
    lane: Math.max(
      0,
      lanes.findIndex((one) => one.blocks.length > 0),
    ),
    place: 0,
  };
}
