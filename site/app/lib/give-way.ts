import { pause } from './pause';

// Over HTTP/1.1 all tabs of a browser share six connections, of which one is the live feed's. Reads that
// hang would keep an Acknowledge from ever being sent: whoever acts takes the connections of all reads, in
// all tabs. They are asked again a moment later, of which nobody who waits for them sees anything. HTTP/2
// and 3 carry any number of calls over one connection, so there nothing has to give way.
const moment = 300;
// What is neither read nor acted, as the script of a page and a new tab, finds a connection free.
const readsAtOnce = 4;

const reads = new Set<AbortController>();
const changes = new EventTarget();
const freed = 'freed';
let held = 0;
let tabs: BroadcastChannel | null | undefined;

/** Runs a read when it may, and again when it had to give way. It may be run several times, and ends when `signal` aborts. */
export async function reading<T>(read: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  otherTabs();
  for (;;) {
    while (held > 0 || reads.size >= mostReads()) await change(signal);
    const giving = new AbortController();
    reads.add(giving);
    try {
      return await read(AbortSignal.any([signal, giving.signal]));
    } catch (cause) {
      if (!giving.signal.aborted || signal.aborted) throw cause;
    } finally {
      reads.delete(giving);
      changes.dispatchEvent(new Event(freed));
    }
  }
}

/** Runs what changes something, for which every read of this browser gives way. */
export async function acting<T>(act: () => Promise<T>): Promise<T> {
  if (mostReads() === Number.POSITIVE_INFINITY) return act();
  const answered = new AbortController();
  otherTabs()?.postMessage(null);
  giveWay(answered.signal);
  return act().finally(() => answered.abort());
}

async function giveWay(until?: AbortSignal): Promise<void> {
  held += 1;
  for (const read of reads) read.abort();
  await pause(moment, until);
  held -= 1;
  changes.dispatchEvent(new Event(freed));
}

function otherTabs(): BroadcastChannel | null {
  if (tabs !== undefined) return tabs;
  try {
    tabs = new BroadcastChannel('nightbell-act');
    tabs.onmessage = () => void giveWay();
  } catch {
    tabs = null; // a browser that keeps no data of sites may refuse it
  }
  return tabs;
}

function mostReads(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return /^h[23]/.test(page?.nextHopProtocol ?? '') ? Number.POSITIVE_INFINITY : readsAtOnce;
}

async function change(signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  changes.addEventListener(freed, () => over.abort(), { once: true, signal });
  await pause(2 ** 30, AbortSignal.any([signal, over.signal]));
  signal.throwIfAborted();
}
