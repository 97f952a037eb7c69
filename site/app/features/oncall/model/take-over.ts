import type { Block } from './picture';
import type { NewOverride, Person } from './schedule';

/** The rest of a shift from now on. One without a known end ends with the picture. */
export function restOf(
  { shift, to }: Pick<Block, 'shift' | 'to'>,
  now: number,
): { from: number; to: number } {
  return { from: Math.max(shift.from, now), to: Number.isFinite(shift.to) ? shift.to : to };
}

/**
 * The override that gives the rest of a shift to somebody. One person is covered by name, so that
 * it reads "Priya for Jonas"; several, nobody, and an override already there are taken over.
 */
export function takeOver(
  block: Pick<Block, 'shift' | 'to'>,
  scheduleId: string,
  person: Person,
  now: number,
): NewOverride {
  const { shift } = block;
  const [only] = shift.people;
  const covers = shift.people.length === 1 && only && shift.because === 'rotation';
  return {
    scheduleId,
    kind: covers ? 'cover' : 'take_over',
    personId: person.id,
    replacesId: covers ? only.id : '',
    ...restOf(block, now),
    reason: '',
  };
}
