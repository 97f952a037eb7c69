import { pause } from './pause';

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

// A leader that vanished is replaced after `lasts`; one that closes removes its lease.
const renewEvery = 400;
const lasts = 1500;
// Two tabs may find the lease free at once. The one that wrote last has it, which the other sees after this time.
const settle = 50;

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
    const renewal = setInterval(() => lease.renew() || stop(), renewEvery);
    signal.addEventListener('abort', stop);
    window.addEventListener('pagehide', lease.drop);
    try {
      await work(AbortSignal.any([term.signal, signal]));
    } finally {
      clearInterval(renewal);
      signal.removeEventListener('abort', stop);
      window.removeEventListener('pagehide', lease.drop);
      lease.drop();
    }
    // The work ended by itself: there is nothing left to lead.
    if (!term.signal.aborted) return;
  }
}

/** Who leads and until when, in local storage, which tells the other tabs of every change. */
class Lease {
  private readonly own = `${Math.random()}`;

  constructor(private readonly key: string) {}

  /** Whether it is ours, after taking it if nobody has it. */
  async take(): Promise<boolean> {
    if (this.left() > 0 && !this.isOwn()) return false;
    this.write();
    await pause(settle);
    return this.isOwn();
  }

  /** Prolongs it; false when another tab has taken it, because this one stood still for too long. */
  renew(): boolean {
    if (!this.isOwn()) return false;
    this.write();
    return true;
  }

  readonly drop = () => {
    if (this.isOwn()) localStorage.removeItem(this.key);
  };

  /** Waits until it was dropped or is over. */
  async changed(signal: AbortSignal): Promise<void> {
    const dropped = new AbortController();
    const onStorage = ({ key, newValue }: StorageEvent) =>
      key === this.key && newValue === null && dropped.abort();
    window.addEventListener('storage', onStorage);
    await pause(Math.max(this.left(), settle), AbortSignal.any([signal, dropped.signal]));
    window.removeEventListener('storage', onStorage);
  }

  private isOwn(): boolean {
    return this.read()[0] === this.own;
  }

  private left(): number {
    const left = Number(this.read()[1]) - Date.now();
    // A clock that was set back must not leave the feed without a leader.
    return left > lasts ? 0 : left;
  }

  private write(): void {
    localStorage.setItem(this.key, `${this.own} ${Date.now() + lasts}`);
  }

  private read(): [by: string, until: string] {
    const [by = '', until = '0'] = (localStorage.getItem(this.key) ?? '').split(' ');
    return [by, until];
  }
}
