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

/**
 * A list of theirs with what was changed here on top. Each item is kept by its id when only one side
 * added, removed or moved items; when both did, the list is as it is here.
 */
export function listOnTop<T extends { id: string; key: string }>(
  from: readonly T[],
  now: readonly T[],
  theirs: readonly T[],
  stored: (item: T) => unknown,
): readonly T[] {
  const ids = (list: readonly T[]) => list.map(({ id }) => id);
  // Where theirs is what was sent from here, the new items have ids by now: in their places, and here by key.
  const isSent = from.length === theirs.length && from.every(({ id }, i) => !id || id === theirs[i]?.id);
  const given = new Map(isSent ? from.map(({ key }, i) => [key, theirs[i]?.id]) : []);
  const named = (list: readonly T[]) =>
    list.map((one) => ({ ...one, id: one.id || given.get(one.key) || '' }));
  const [base, mine] = [named(from), named(now)];
  const find = (list: readonly T[], id: string) => list.find((one) => one.id === id);
  const changedHere = (id: string) => {
    const [before, now] = [find(base, id), find(mine, id)];
    return before && now && differ(stored(before), stored(now)) ? now : null;
  };
  if (!differ(ids(base), ids(mine))) return theirs.map((one) => changedHere(one.id) ?? one);
  if (differ(ids(base), ids(theirs))) return mine;
  return mine.map((one) => (one.id === '' || changedHere(one.id) ? one : (find(theirs, one.id) ?? one)));
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

function differ(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}
