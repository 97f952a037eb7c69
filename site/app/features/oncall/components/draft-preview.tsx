import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useAhead } from '~/components/later';
import { IconButton } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Icon } from '~/components/ui/icon';
import { Segmented } from '~/components/ui/segmented';
import { Empty, Failed, Loading } from '~/components/ui/states';
import { useHues } from '~/data/members';
import { schedulePreview } from '~/data/schedules';
import { reasonOf } from '~/lib/api';
import { toIso } from '~/lib/time/instant';
import { rangeWords } from '~/lib/time/zone-words';
import { type Draft, rotationsOf } from '../model/draft';
import { type Block, gapsOf } from '../model/picture';
import { askedRange, type Range, rangeAt, rangeBeside, type Span, spans } from '../model/range';
import { type Timeline, toPicture } from '../model/schedule';
import { gapWords } from '../model/words';
import * as styles from './draft-preview.module.css';
import { ShiftPopover } from './opened-later';
import { PictureBones } from './picture-bones';
import * as timelineCardStyles from './timeline-card.module.css';
import { TimelineLegend } from './timeline-legend';
import { useNarrow } from './use-narrow';
import { useSettled } from './use-settled';

const TimelinePicture = lazy(() =>
  import('./timeline-picture').then((chunk) => ({ default: chunk.TimelinePicture })),
);
const pause = 300;
const gapsNamed = 4;

interface DraftPreviewProps {
  /** Empty for a new schedule. */
  scheduleId: string;
  draft: Draft;
  missing: string | null;
  now: number;
}

/** What the draft would mean, asked of the server whenever it rests, with its gaps named before it is saved. */
export function DraftPreview({ scheduleId, draft, missing, now }: DraftPreviewProps) {
  const [span, setSpan] = useState<Span>('fortnight');
  const [at, setAt] = useState(now);
  const { zone } = draft;
  const range = useMemo(() => rangeAt(at, span, zone), [at, span, zone]);
  const step = (by: 1 | -1) => setAt(rangeBeside(range, span, by, zone).from);
  return (
    <section className={`${cardKit.card} ${styles.preview}`} aria-labelledby="preview-title">
      <div className={timelineCardStyles.timelineTools}>
        <h2 id="preview-title">
          Preview <span className="text-3">{rangeWords(range.from, range.to, zone, now)}</span>
        </h2>
        <Segmented label="Range" choices={spans} value={span} onChoose={setSpan} />
        <div className="row">
          <IconButton icon="chevron-left" label="Earlier" look="plain" size="sm" onClick={() => step(-1)} />
          <IconButton icon="chevron-right" label="Later" look="plain" size="sm" onClick={() => step(1)} />
        </div>
      </div>
      <Drawn scheduleId={scheduleId} draft={draft} missing={missing} now={now} range={range} span={span} />
    </section>
  );
}

function Drawn({
  scheduleId,
  draft,
  missing,
  now,
  range,
  span,
}: DraftPreviewProps & { range: Range; span: Span }) {
  const settled = useSettled(draft, pause);
  const { from, to } = askedRange(range);
  const body = {
    ...(scheduleId ? { schedule_id: scheduleId } : {}),
    timezone: settled.zone,
    rotations: rotationsOf(settled),
    from: toIso(from),
    to: toIso(to),
  };
  const query = useQuery({
    ...schedulePreview(body),
    select: toPicture,
    enabled: missing === null && settled === draft,
  });
  if (missing && !query.data) return <Empty>{missing}</Empty>;
  if (query.isError) {
    return (
      <Failed detail={reasonOf(query.error)} onRetry={() => query.refetch()}>
        Failed to draw the preview
      </Failed>
    );
  }
  if (!query.data) return <PreviewLoading />;
  return (
    <>
      <Picture timeline={query.data} range={range} span={span} now={now} />
      <Gaps
        timeline={query.data}
        range={range}
        now={now}
        missing={missing ?? (query.isPlaceholderData ? 'Loading the preview.' : null)}
      />
    </>
  );
}

function Picture({
  timeline,
  range,
  span,
  now,
}: {
  timeline: Timeline;
  range: Range;
  span: Span;
  now: number;
}) {
  const narrow = useNarrow();
  const hueOf = useHues();
  useAhead(ShiftPopover);
  const [open, setOpen] = useState<{ block: Block; anchor: HTMLElement } | null>(null);
  return (
    <>
      <Suspense fallback={<PreviewLoading />}>
        <TimelinePicture
          label="Preview of the schedule"
          timeline={timeline}
          range={range}
          span={span}
          now={now}
          narrow={narrow}
          hueOf={hueOf}
          noteOf={noNote}
          onOpen={(block, anchor) => setOpen({ block, anchor })}
        />
      </Suspense>
      <TimelineLegend timeline={timeline} range={range} span={span} />
      {open && (
        <ShiftPopover
          key={open.block.key}
          block={open.block}
          anchor={open.anchor}
          zone={timeline.zone}
          hueOf={hueOf}
          onClose={() => setOpen((current) => (current === open ? null : current))}
        />
      )}
    </>
  );
}

function PreviewLoading() {
  return (
    <Loading what="preview" quiet>
      <PictureBones />
    </Loading>
  );
}

const noNote = () => '';

interface GapsProps {
  timeline: Timeline;
  range: Range;
  now: number;
  missing: string | null;
}

function Gaps({ timeline, range, now, missing }: GapsProps) {
  if (missing) return <p className={timelineCardStyles.timelineNote}>{missing} The picture is of before.</p>;
  if (range.to <= now)
    return (
      <p className={timelineCardStyles.timelineNote} role="status">
        These days are over. Gaps are looked for from now on.
      </p>
    );
  const gaps = gapsOf(timeline, range, now);
  if (gaps.length === 0) {
    return (
      <p className={`${timelineCardStyles.timelineNote} ${styles.covered}`} role="status">
        <Icon name="check" /> Somebody is on call all the time{daysWords(range, timeline.zone, now)}.
      </p>
    );
  }
  return (
    <div className={timelineCardStyles.gapNote} role="status">
      <ul>
        {gaps.slice(0, gapsNamed).map((gap) => (
          <li key={gap.from}>
            <b>Nobody on call {gapWords(gap, timeline.zone, now)}.</b>
          </li>
        ))}
        {gaps.length > gapsNamed && (
          <li className="text-2">And {gaps.length - gapsNamed} more gaps on this picture.</li>
        )}
      </ul>
    </div>
  );
}

// Nothing else was looked at: a gap may come after it.
function daysWords({ from, to }: Range, zone: string, now: number): string {
  if (from > now) return `, ${rangeWords(from, to, zone, now)}`;
  return ` from now to the end of ${rangeWords(to - 1, to, zone, now)}`;
}
