import { ApiError } from './api';

/** Whether a save was refused because somebody else changed the thing since it was read. */
export function isConflict(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 412;
}

/** The fields in which two versions differ. */
export function changedFields<T extends object>(before: T, after: T): (keyof T)[] {
  const fields = Object.keys({ ...before, ...after }) as (keyof T)[];
  return fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

/** What somebody else stored, with the fields on top that were changed here since `base`. */
export function onTop<T extends object>(base: T, mine: T, theirs: T): T {
  const own = changedFields(base, mine).map((field) => [field, mine[field]] as const);
  return { ...theirs, ...Object.fromEntries(own) };
}
