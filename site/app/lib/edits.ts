import { ApiError } from './api';

/** Which thing, in the version that it was read in. */
export interface Version {
  id: string;
  etag?: string;
}

/** The header that lets a change through only while the thing is as it was read. */
export function ifMatch(etag: string | undefined): Record<string, string> | undefined {
  return etag ? { 'If-Match': `"${etag}"` } : undefined;
}

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

/** What stands for nothing in words for people. */
export const nothing = 'nothing';

/** A field of a thing that several people edit: how it is stored, and how it reads. */
export interface FieldWords<T> {
  label: string;
  stored: (of: T) => unknown;
  words: (of: T) => string;
}

/** A field that somebody else changed, in words for people. */
export interface TheirChange {
  label: string;
  was: string;
  theirs: string;
  /** Null when it was not changed here. */
  yours: string | null;
}

/** What somebody else changed since `base`, beside what was changed here. */
export function theirChanges<T>(
  fields: readonly FieldWords<T>[],
  base: T,
  theirs: T,
  mine: T = base,
): TheirChange[] {
  return fields
    .filter((field) => differ(field.stored(base), field.stored(theirs)))
    .map(({ label, stored, words }) => ({
      label,
      was: words(base) || nothing,
      theirs: words(theirs) || nothing,
      yours: differ(stored(base), stored(mine)) ? words(mine) || nothing : null,
    }));
}

/** The ids of theirs with those that were added here, and without those that were taken out here. */
export function idsOnTop(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): readonly string[] {
  const kept = theirs.filter((id) => mine.includes(id) || !base.includes(id));
  return [...kept, ...mine.filter((id) => !base.includes(id) && !theirs.includes(id))];
}

/** Whether two values would be stored otherwise. */
export function differ(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}
