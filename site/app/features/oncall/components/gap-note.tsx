import { Button } from '~/components/ui/button';
import type { NextInLine } from '../model/next-in-line';
import type { Shift } from '../model/schedule';
import { lengthWords, spanWords } from '../model/words';

interface GapNoteProps {
  gap: Shift;
  /** How many more gaps there are in the same range. */
  others: number;
  zone: string;
  next: NextInLine | null;
  /** Absent for readers who may not change who is on call. */
  onCover?: () => void;
}

/** The soonest hours that nobody covers, what a page would do then, and the button that ends it. */
export function GapNote({ gap, others, zone, next, onCover }: GapNoteProps) {
  return (
    <div className="gap-note">
      <p>
        <b>Nobody on call {spanWords(gap.from, gap.to, zone)}.</b>{' '}
        {next && (
          <span className="text-2">
            A page in {sized(gap)} goes straight to step {next.step}, {next.names.join(', ')}.{' '}
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

function sized(gap: Shift): string {
  const words = lengthWords(gap.to - gap.from);
  return /^\d+ h$/.test(words) ? `these ${words.replace(' h', ' hours')}` : 'this time';
}
