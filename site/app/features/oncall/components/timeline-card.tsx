import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import { useAhead } from '~/components/later';
import { Button, IconButton } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Segmented } from '~/components/ui/segmented';
import { FetchFailed, Loading } from '~/components/ui/states';
import { useHues } from '~/data/members';
import { scheduleTimeline } from '~/data/schedules';
import { mayAct } from '~/lib/role';
import { rangeWords } from '~/lib/time/zone-words';
import { isExpectedGap } from '../model/expected-gap';
import type { OverrideStart } from '../model/override-draft';
import { type Block, gapsOf } from '../model/picture';
import { askedRange, type Range, rangeAt, rangeBeside, type Span, spans } from '../model/range';
import { type Problem, type Schedule, type Shift, type Timeline, toPicture } from '../model/schedule';
import { restOf } from '../model/take-over';
import { windowWords } from '../model/words';
import { CoverageNotes } from './coverage-notes';
import { GapNote } from './gap-note';
import { OverrideDialog, ShiftPopover } from './opened-later';
import { PictureBones } from './picture-bones';
import { SubscribeButton } from './subscribe-button';
import * as styles from './timeline-card.module.css';
import { TimelineLegend } from './timeline-legend';
import { useNarrow } from './use-narrow';

const TimelinePicture = lazy(() =>
  import('./timeline-picture').then((chunk) => ({ default: chunk.TimelinePicture })),
);

// Others change schedules too.
const minute = 60_000;

interface TimelineCardProps {
  schedule: Schedule;
  span: Span;
  /** An instant of the range that is shown; null is now. */
  at: number | null;
  now: number;
  /** What is wrong with the coverage of this schedule in the days ahead. */
  problems: readonly Problem[];
  /** What the server did not look at, in a sentence. */
  incomplete: string;
  onMove: (span: Span, at: number | null) => void;
}

/** The selected schedule over a range of time, with everything that can be done to it there. */
export function TimelineCard({ schedule, span, at, now, problems, incomplete, onMove }: TimelineCardProps) {
  const { zone } = schedule;
  const range = rangeAt(at ?? now, span, zone);
  const query = useQuery({
    ...scheduleTimeline(schedule.id, askedRange(range)),
    select: toPicture,
    placeholderData: keepPreviousData,
    refetchInterval: minute,
  });
  useAhead(OverrideDialog, ShiftPopover);
  const [start, setStart] = useState<OverrideStart | null>(null);
  const step = (by: 1 | -1) => onMove(span, rangeBeside(range, span, by, zone).from);
  return (
    <section className={cardKit.card} aria-labelledby="timeline-title">
      <div className={styles.timelineTools}>
        <h2 id="timeline-title">
          {schedule.name}{' '}
          <span className="text-3">
            {zone}, {rangeWords(range.from, range.to, zone, now)}
          </span>
        </h2>
        <Segmented label="Range" choices={spans} value={span} onChoose={(wanted) => onMove(wanted, at)} />
        <div className="row">
          <IconButton icon="chevron-left" label="Earlier" look="plain" size="sm" onClick={() => step(-1)} />
          <Button size="sm" onClick={() => onMove(span, null)}>
            Today
          </Button>
          <IconButton icon="chevron-right" label="Later" look="plain" size="sm" onClick={() => step(1)} />
        </div>
        <div className="row">
          <SubscribeButton schedule={schedule} />
          {mayAct('responder') && (
            <Button size="sm" icon="swap" onClick={() => setStart({})}>
              Add override
            </Button>
          )}
        </div>
      </div>
      {query.isPending && <PictureLoading />}
      <FetchFailed of={query}>Failed to load timeline</FetchFailed>
      {query.data && (
        <Picture
          schedule={schedule}
          timeline={query.data}
          range={range}
          span={span}
          now={now}
          problems={problems}
          ofBefore={query.isPlaceholderData}
          onOverride={setStart}
        />
      )}
      <CoverageNotes problems={problems} incomplete={incomplete} />
      {start && (
        <OverrideDialog schedules={[schedule]} start={start} now={now} onClose={() => setStart(null)} />
      )}
    </section>
  );
}

interface PictureProps {
  schedule: Schedule;
  timeline: Timeline;
  range: Range;
  span: Span;
  now: number;
  problems: readonly Problem[];
  /** The timeline is of the range before, while that of this one loads. It may reach far enough. */
  ofBefore: boolean;
  onOverride: (start: OverrideStart) => void;
}

function Picture(props: PictureProps) {
  const { schedule, timeline, range, span, now, problems, ofBefore, onOverride } = props;
  const missing = ofBefore && (timeline.from > range.from || timeline.to < range.to);
  const narrow = useNarrow();
  const hueOf = useHues();
  const [open, setOpen] = useState<{ block: Block; anchor: HTMLElement } | null>(null);
  const noteOf = useCallback(
    (id: string) => windowWords(schedule.rotations.find((one) => one.id === id)?.windows ?? []),
    [schedule],
  );
  const isExpected = (shift: Shift) => isExpectedGap(shift, problems);
  const gaps = gapsOf(timeline, range, now).filter((one) => !isExpected(one));
  const [gap] = gaps;
  const close = (block: Block) => setOpen((current) => (current?.block === block ? null : current));
  return (
    <>
      <Suspense fallback={<PictureLoading />}>
        <TimelinePicture
          label={`Timeline of ${schedule.name}`}
          busy={missing}
          timeline={timeline}
          range={range}
          span={span}
          now={now}
          narrow={narrow}
          hueOf={hueOf}
          noteOf={noteOf}
          isExpected={isExpected}
          onOpen={(block, anchor) => setOpen({ block, anchor })}
        />
      </Suspense>
      <TimelineLegend
        timeline={timeline}
        range={range}
        span={span}
        outside={problems.some((one) => one.weekly)}
      />
      <Inactive schedule={schedule} />
      {missing && (
        <p className={`${styles.timelineNote} ${styles.coming}`} role="status">
          Some of these days are still loading.
        </p>
      )}
      {gap && !missing && (
        <GapNote
          gap={gap}
          vacated={timeline.overrides.find((one) => one.id === gap.becauseId) ?? null}
          others={gaps.length - 1}
          schedule={schedule}
          now={now}
          onCover={
            mayAct('responder') ? () => onOverride(startOf({ shift: gap, to: range.to }, now)) : undefined
          }
        />
      )}
      {open && (
        <ShiftPopover
          key={open.block.key}
          block={open.block}
          anchor={open.anchor}
          zone={schedule.zone}
          hueOf={hueOf}
          onClose={() => close(open.block)}
          change={{
            scheduleId: schedule.id,
            onMore: (block) => {
              setOpen(null);
              onOverride(startOf(block, now));
            },
          }}
        />
      )}
    </>
  );
}

function PictureLoading() {
  return (
    <Loading what="timeline" quiet>
      <PictureBones />
    </Loading>
  );
}

function startOf(block: Pick<Block, 'shift' | 'to'>, now: number): OverrideStart {
  const [only] = block.shift.people;
  const time = restOf(block, now);
  return only && block.shift.people.length === 1
    ? { kind: 'cover', replacesId: only.id, ...time }
    : { kind: 'take_over', ...time };
}

function Inactive({ schedule }: { schedule: Schedule }): ReactNode {
  if (schedule.active) return null;
  return (
    <p className={styles.timelineNote}>
      {schedule.name} is inactive, so it pages nobody. {mayAct('admin') && 'Edit it to make it active.'}
    </p>
  );
}
