import type { NewOverride, Person, Shift } from './schedule';

/**
 * The override that gives the rest of a shift to somebody. One person is covered by name, so that
 * it reads "Priya for Jonas"; several, nobody, and an override already there are taken over.
 */
export function takeOver(shift: Shift, scheduleId: string, person: Person, now: number): NewOverride {
  const [only] = shift.people;
  const covers = shift.people.length === 1 && only && shift.because === 'rotation';
  return {
    scheduleId,
    kind: covers ? 'cover' : 'take_over',
    personId: person.id,
    replacesId: covers ? only.id : '',
    from: Math.max(shift.from, now),
    to: shift.to,
    reason: '',
  };
}
