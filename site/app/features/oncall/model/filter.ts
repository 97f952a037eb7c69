import type { Override, Rotation, Schedule } from './schedule';

/** The views of the on-call page. */
export type View = 'schedules' | 'rotations' | 'overrides';

/** A word of the address as a view; schedules for anything else. */
export function toView(word: string | null): View {
  return word === 'rotations' || word === 'overrides' ? word : 'schedules';
}

/** A rotation with the schedule it is a layer of. */
export interface RotationRow {
  rotation: Rotation;
  schedule: Schedule;
}

/** The schedules whose name, description or team has the text. */
export function matchingSchedules(schedules: readonly Schedule[], text: string): Schedule[] {
  return schedules.filter((one) => has([one.name, one.description, one.team], text));
}

/** The rotations of all schedules whose own name, people or schedule has the text. */
export function matchingRotations(schedules: readonly Schedule[], text: string): RotationRow[] {
  return schedules
    .flatMap((schedule) => schedule.rotations.map((rotation) => ({ rotation, schedule })))
    .filter(({ rotation, schedule }) => {
      const people = rotation.seats.flatMap((seat) => seat.map((person) => person.name));
      return has([rotation.name, schedule.name, schedule.description, schedule.team, ...people], text);
    });
}

/** The overrides whose people, schedule or reason has the text. */
export function matchingOverrides(overrides: readonly Override[], text: string): Override[] {
  return overrides.filter((one) =>
    has([one.person?.name ?? '', one.replaces?.name ?? '', one.scheduleName, one.reason], text),
  );
}

function has(texts: readonly string[], wanted: string): boolean {
  const sought = wanted.trim().toLocaleLowerCase();
  return sought === '' || texts.some((text) => text.toLocaleLowerCase().includes(sought));
}
