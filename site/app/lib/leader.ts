import { Lease } from './lease';

/**
 * Runs `work` in one tab of the browser at a time, until `signal` aborts; when the tab that does it
 * closes, another one takes over. `work` ends when its own signal aborts.
 */
export async function lead(
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  // Locks are for secure contexts only; plain HTTP off loopback has none.
  if (navigator.locks === undefined) return leadByLease(name, work, signal);
  try {
    await navigator.locks.request(name, { signal }, () => work(signal));
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}

async function leadByLease(
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const lease = new Lease(name);
  while (!signal.aborted) {
    if (!(await lease.take())) {
      await lease.changed(signal);
      continue;
    }
    const term = new AbortController();
    const stop = () => term.abort();
    signal.addEventListener('abort', stop);
    const release = lease.keep(stop);
    try {
      await work(AbortSignal.any([term.signal, signal]));
    } finally {
      signal.removeEventListener('abort', stop);
      release();
    }
    // The work ended by itself: there is nothing left to lead.
    if (!term.signal.aborted) return;
  }
}
