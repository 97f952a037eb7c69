/**
 * Gathers calls: the first runs `work` after `delay` milliseconds, and everything asked for until
 * then is done by that one run. A storm of events thus costs one refetch, not hundreds.
 */
export function coalesce<Item>(
  delay: number,
  work: (items: ReadonlySet<Item>) => void,
): { add: (item: Item) => void; cancel: () => void } {
  let items = new Set<Item>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    timer = undefined;
    const gathered = items;
    items = new Set();
    work(gathered);
  };
  return {
    add(item) {
      items.add(item);
      timer ??= setTimeout(run, delay);
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      items.clear();
    },
  };
}
