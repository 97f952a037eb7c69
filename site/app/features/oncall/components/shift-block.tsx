import { type MouseEvent, useState } from 'react';
import { type Block, blockWords, type Lane, percent, whoWords, whyWords } from '../model/picture';
import { isGap } from '../model/schedule';
import { shiftWords } from '../model/words';

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
  const [told, setTold] = useState(false);
  const left = percent(block.from, lane);
  const width = percent(block.to, lane) - left;
  const [long, short] = blockWords(block, shortNames);
  const open = (event: MouseEvent<HTMLElement>) => {
    setTold(false);
    onOpen(block, event.currentTarget);
  };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the button inside takes the focus of its cell.
    // biome-ignore lint/a11y/useSemanticElements: a lane is not a table row; its blocks lie freely.
    <div
      role="gridcell"
      className="shift-cell"
      style={{ left: `${left}%`, width: `${width}%` }}
      onPointerEnter={(event) => event.pointerType === 'mouse' && setTold(true)}
      onPointerLeave={() => setTold(false)}
      onKeyDown={(event) => event.key === 'Escape' && setTold(false)}
    >
      <button
        type="button"
        className={`${classesOf(block, lane, hues, past)}${expected ? ' expected' : ''}`}
        data-place={place}
        tabIndex={reachable ? 0 : -1}
        aria-label={sentence(block, zone)}
        aria-haspopup="dialog"
        onClick={open}
        onFocus={(event) => setTold(event.currentTarget.matches(':focus-visible'))}
        onBlur={() => setTold(false)}
      >
        <span className="long">{long}</span>
        <span className="short">{short}</span>
      </button>
      {told && (
        <div className={left > 70 ? 'shift-tip to-left' : 'shift-tip'} aria-hidden="true">
          <b>{whoWords(block)}</b>
          <span>{shiftWords(block.shift, zone)}</span>
          <span>{whyWords(block)}</span>
        </div>
      )}
    </div>
  );
}

// What is printed on the block is part of its name, so that it can be called by it.
function sentence(block: Block, zone: string): string {
  return `${whoWords(block)}, ${shiftWords(block.shift, zone)}. ${whyWords(block)}`;
}

function classesOf(block: Block, lane: Lane, hues: readonly (number | undefined)[], past: boolean): string {
  const { shift } = block;
  const [first, second] = hues;
  const nobody = shift.people.length === 0;
  return [
    'shift',
    isGap(shift) && 'gap',
    shift.because === 'inactive' && 'off',
    !nobody && (first ? `hue-${((first - 1) % 6) + 1}` : 'hue-0'),
    shift.people.length > 1 && `several with-${(((second ?? 1) - 1) % 6) + 1}`,
    shift.because === 'override' && 'overriding',
    shift.from < lane.from && 'from-before',
    shift.to > lane.to && 'goes-on',
    past && 'past',
  ]
    .filter(Boolean)
    .join(' ');
}
