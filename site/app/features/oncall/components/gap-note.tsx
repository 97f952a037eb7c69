import { useQuery } from '@tanstack/react-query';
import { Button } from '~/components/ui/button';
import { explanation } from '~/data/explain';
import { freshFor } from '~/lib/query-client';
import { lengthWords } from '~/lib/time/zone-words';
import { nextInLine, nextQuestion } from '../model/next-in-line';
import type { Override, Schedule, Shift } from '../model/schedule';
import { gapWords } from '../model/words';
import * as styles from './timeline-card.module.css';

interface GapNoteProps {
  gap: Shift;
  /** The override that left it vacant; null when nobody planned it. */
  vacated: Override | null;
  /** How many more gaps there are in the same range. */
  others: number;
  schedule: Schedule;
  now: number;
  /** Absent for readers who may not change who is on call. */
  onCover?: () => void;
}

/** The soonest hours that nobody covers, what a page would do then, and the button that ends it. */
export function GapNote({ gap, vacated, others, schedule, now, onCover }: GapNoteProps) {
  const next = useQuery({
    ...explanation(
      nextQuestion(schedule.policyId, gap.from > now ? gap.from : null),
      'explain who is next in line',
    ),
    staleTime: freshFor.list,
    refetchInterval: freshFor.list,
    select: (answer) => nextInLine(answer, schedule.id),
    enabled: schedule.policyId !== '',
  }).data;
  return (
    <div className={styles.gapNote}>
      <p>
        <b>Nobody on call {gapWords(gap, schedule.zone, now)}.</b>{' '}
        {vacated && <span className="text-2">{vacatedWords(vacated)} </span>}
        {next && (
          <span className="text-2">
            A page {sized(gap, now)} goes straight to {next.step > 0 && `step ${next.step}, `}
            {next.names.join(', ')}.{' '}
          </span>
        )}
        {others > 0 && (
          <span className="text-2">
            {others} more {others === 1 ? 'gap' : 'gaps'} on this picture.
          </span>
        )}
      </p>
      {onCover && (
        <Button look="person" onClick={onCover}>
          Cover this gap
        </Button>
      )}
    </div>
  );
}

function vacatedWords({ by, reason }: Override): string {
  const who = by ? `Left vacant by ${by.name}` : 'Left vacant';
  return reason ? `${who}: \u201c${reason}\u201d` : `${who}.`;
}

function sized({ from, to }: Shift, now: number): string {
  if (from <= now) return 'now';
  const words = Number.isFinite(to - from) ? lengthWords(to - from) : '';
  return /^\d+ h$/.test(words) ? `in these ${words.replace(' h', ' hours')}` : 'in this time';
}
