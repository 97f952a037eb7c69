/**
 * Gathers calls: the first runs `work` after `soon` milliseconds, and whatever follows is gathered
 * so that runs are at least `gap` milliseconds apart. One event is shown at once, and a storm of
 * events costs one refetch a gap, not hundreds.
 */
export function coalesce<Item>(
  soon: number,
  gap: number,
  work: (items: ReadonlySet<Item>) => void,
): { add: (item: Item) => void; cancel: () => void } {
  let items = new Set<Item>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastRun = Number.NEGATIVE_INFINITY;
  const run = () => {
    timer = undefined;
    lastRun = performance.now();
    const gathered = items;
    items = new Set();
    work(gathered);
  };
  return {
    add(item) {
      items.add(item);
      timer ??= setTimeout(run, Math.max(soon, lastRun + gap - performance.now()));
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      items.clear();
    },
  };
}
