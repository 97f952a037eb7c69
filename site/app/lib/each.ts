/**
 * The projection of a list by the projection of its items. An item that is the same object gives the same
 * result again, and the cache keeps what did not change: an event that is about one row draws one row again.
 */
export function each<Json extends object, Shown>(project: (json: Json) => Shown) {
  const known = new WeakMap<Json, Shown>();
  const one = (json: Json): Shown => {
    const before = known.get(json);
    if (before !== undefined) return before;
    const shown = project(json);
    known.set(json, shown);
    return shown;
  };
  return (list: readonly Json[]): Shown[] => list.map(one);
}
