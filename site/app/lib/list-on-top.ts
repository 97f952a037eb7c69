import { differ } from './edits';

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
