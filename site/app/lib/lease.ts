import { pause } from './pause';

// A holder that vanished is replaced after `lasts`; one that ends or closes removes its lease.
const renewEvery = 400;
const lasts = 1500;
/** After this time, in milliseconds, one tab sees what another stored. Of two that take a lease at once, the one that wrote last has it. */
export const settle = 50;

/**
 * Which tab may do something, and until when, in local storage, which tells the other tabs of every
 * change. It stands in for `navigator.locks`, which plain HTTP off loopback has not; two tabs could
 * rarely both hold it.
 */
export class Lease {
  private readonly own = String(crypto.getRandomValues(new Uint32Array(2)));

  constructor(private readonly key: string) {}

  /** Whether it is ours, after taking it if nobody has it. */
  async take(): Promise<boolean> {
    if (this.left() > 0 && !this.isOwn()) return false;
    this.write();
    await pause(settle);
    return this.isOwn();
  }

  /**
   * Keeps it until the returned function is called, or this tab closes. `onLost` is called when another
   * tab has taken it, because this one stood still for too long.
   */
  keep(onLost: () => void = () => undefined): () => void {
    const renewal = setInterval(() => (this.isOwn() ? this.write() : onLost()), renewEvery);
    window.addEventListener('pagehide', this.drop);
    return () => {
      clearInterval(renewal);
      window.removeEventListener('pagehide', this.drop);
      this.drop();
    };
  }

  /** Waits until it was dropped or is over. */
  async changed(signal?: AbortSignal): Promise<void> {
    const dropped = new AbortController();
    const onStorage = ({ key, newValue }: StorageEvent) =>
      key === this.key && newValue === null && dropped.abort();
    window.addEventListener('storage', onStorage);
    const either = AbortSignal.any([signal ?? [], dropped.signal].flat());
    await pause(Math.max(this.left(), settle), either);
    window.removeEventListener('storage', onStorage);
  }

  private readonly drop = () => {
    if (this.isOwn()) localStorage.removeItem(this.key);
  };

  private isOwn(): boolean {
    return this.read()[0] === this.own;
  }

  private left(): number {
    const left = Number(this.read()[1]) - Date.now();
    // A clock that was set back must not keep it for longer than any lease lasts.
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
