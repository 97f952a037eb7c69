import type { MouseEvent } from 'react';
import { Tooltip, useTooltip } from '~/components/ui/tooltip';
import { type Block, blockWords, type Lane, percent, whoWords, whyWords } from '../model/picture';
import { isGap } from '../model/schedule';
import { shiftWords } from '../model/words';
import * as styles from './timeline-picture.module.css';

interface ShiftBlockProps {
  block: Block;
  lane: Lane;
  zone: string;
  /** Where the block is, for the arrow keys. */
  place: string;
  /** The one block of the picture that Tab reaches. */
  reachable: boolean;
  past: boolean;
  /** A gap outside of the schedule's hours, for which nobody is needed. */
  expected: boolean;
  hues: readonly (number | undefined)[];
  shortNames: ReadonlyMap<string, string>;
  onOpen: (block: Block, element: HTMLElement) => void;
}

/** One shift on a lane. Its name says everything; what fits is printed, and the rest shows on hover and focus. */
export function ShiftBlock({
  block,
  lane,
  zone,
  place,
  reachable,
  past,
  expected,
  hues,
  shortNames,
  onOpen,
}: ShiftBlockProps) {
  const tip = useTooltip();
  const left = percent(block.from, lane);
  const width = percent(block.to, lane) - left;
  const [long, short] = blockWords(block, shortNames);
  const open = (event: MouseEvent<HTMLElement>) => {
    tip.hide();
    onOpen(block, event.currentTarget);
  };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the button inside takes the focus of its cell.
    // biome-ignore lint/a11y/useSemanticElements: a lane is not a table row; its blocks lie freely.
    <div
      role="gridcell"
      className={styles.shiftCell}
      style={{ left: `${left}%`, width: `${width}%` }}
      {...tip.wrapper}
    >
      <button
        type="button"
        className={classesOf(block, lane, past, expected)}
        {...huesOf(block, hues)}
        data-place={place}
        tabIndex={reachable ? 0 : -1}
        aria-label={sentence(block, zone)}
        aria-haspopup="dialog"
        onClick={open}
      >
        <span className={styles.long}>{long}</span>
        <span className={styles.short}>{short}</span>
      </button>
      {tip.shown && (
        <Tooltip toLeft={left > 70}>
          <b>{whoWords(block)}</b>
          <span>{shiftWords(block.shift, zone)}</span>
          <span>{whyWords(block)}</span>
        </Tooltip>
      )}
    </div>
  );
}

// What is printed on the block is part of its name, so that it can be called by it.
function sentence(block: Block, zone: string): string {
  return `${whoWords(block)}, ${shiftWords(block.shift, zone)}. ${whyWords(block)}`;
}

function classesOf(block: Block, lane: Lane, past: boolean, expected: boolean): string {
  const { shift } = block;
  return [
    styles.shift,
    isGap(shift) && styles.gap,
    shift.because === 'inactive' && styles.off,
    shift.people.length > 1 && styles.several,
    shift.because === 'override' && styles.overriding,
    shift.from < lane.from && styles.fromBefore,
    shift.to > lane.to && styles.goesOn,
    past && styles.past,
    expected && styles.expected,
  ]
    .filter(Boolean)
    .join(' ');
}

// The colour of who has the shift, and of who shares it.
function huesOf({ shift }: Block, [first, second]: readonly (number | undefined)[]) {
  const { length } = shift.people;
  return {
    'data-hue': length === 0 ? undefined : first ? ((first - 1) % 6) + 1 : 0,
    'data-with': length > 1 ? (((second ?? 1) - 1) % 6) + 1 : undefined,
  };
}
