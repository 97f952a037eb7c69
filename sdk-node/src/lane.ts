import { judge, type Kind, type Verdict } from './answer.js';
import type { Pipeline } from './pipeline.js';
import { type Item, linger, mostBatch } from './queue.js';
import { background } from './retry.js';

/** What one request carries. */
export interface Cargo {
  kind: Kind;
  path: string;
  body: string;
  id?: string | undefined;
  ids: string[];
}

/**
 * Takes what is due, sends it and decides what becomes of it. There are two, so that a critical
 * event never waits behind a batch. Its timers do not keep the process alive: the end of the
 * program delivers what still waits.
 */
export class Lane {
  private timer: NodeJS.Timeout | undefined;
  private due = 0;
  private busy = false;
  private quietUntil = 0; // after a failure that is not the fault of what was sent

  constructor(
    private readonly pipeline: Pipeline,
    private readonly urgent: boolean,
  ) {}

  /** Says that an item was added. */
  added(item: Item): void {
    const now = this.urgent || item.kind === 'ping' || this.pipeline.hurry > 0;
    this.plan(now || this.pipeline.queue.waiting(this.urgent) >= mostBatch ? 0 : linger);
  }

  /** Looks again after a delay, or earlier if that was planned. */
  plan(delay: number): void {
    if (this.busy || this.pipeline.closed) return;
    const due = Date.now() + delay;
    if (this.timer && this.due <= due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => this.look(), delay);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    this.timer = undefined;
    if (this.busy || this.pipeline.closed) return;
    const now = Date.now();
    const quiet = Math.max(this.quietUntil, this.pipeline.gate.until) - now;
    const { batch, wait } =
      quiet > 0 ? { wait: quiet } : this.pipeline.queue.take(this.urgent, this.pipeline.hurry > 0, now);
    if (!batch) {
      if (wait !== undefined) this.plan(wait);
      return;
    }
    this.busy = true;
    this.deliver(batch)
      .catch(() => this.pipeline.drop('internal', batch))
      .finally(() => {
        for (const item of batch) this.pipeline.queue.finish(item);
        this.busy = false;
        this.plan(0);
      });
  }

  /** Sends one batch once. */
  private async deliver(taken: Item[]): Promise<void> {
    const batch = taken.filter((item) => this.pipeline.build(item));
    const [first] = batch;
    if (!first) return;
    const now = Date.now();
    for (const item of batch) {
      item.firstTry ??= now;
      item.attempts++;
    }
    const cargo = cargoOf(batch);
    const answer = await this.pipeline.send(cargo, first.attempts);
    const verdict = judge(cargo, answer, Date.now());
    this.pipeline.note(cargo, verdict);
    // In halves, an event that the server cannot stand is soon alone.
    if (verdict.outcome === 'split' || (verdict.outcome === 'retry' && first.attempts > 2))
      for (const item of batch) item.company = Math.max(Math.floor(batch.length / 2), 1);
    const whole = verdict.outcome === 'retry' && !('status' in answer && answer.status === 500);
    if (whole) {
      const delay = background(first.attempts - 1, verdict.wish, 0, Math.random) ?? verdict.wish;
      this.quietUntil = Date.now() + delay;
    }
    this.settle(batch, verdict, whole);
  }

  /** Finishes each item, or puts it back for another try. */
  private settle(batch: Item[], verdict: Verdict, whole: boolean): void {
    const again: Item[] = [];
    for (const [n, item] of batch.entries()) {
      const own = verdict.items?.[n] ?? verdict;
      if (own.outcome === 'delivered') this.pipeline.delivered(item);
      else if (own.outcome === 'split') again.push(item);
      else if (own.outcome !== 'retry') this.pipeline.drop('rejected', [item], own.error);
      else {
        const elapsed = Date.now() - (item.firstTry ?? 0);
        const delay = background(item.attempts - 1, own.wish, elapsed, Math.random);
        if (delay === undefined) this.pipeline.keep('expired', [item]);
        else {
          item.notBefore = whole ? 0 : Date.now() + delay; // or the whole lane waits
          again.push(item);
        }
      }
    }
    this.pipeline.queue.putBack(this.urgent, again);
  }
}

/** One request of items that go together. */
export function cargoOf(batch: Item[]): Cargo {
  const [first] = batch as [Item];
  const ids = batch.map((item) => item.id);
  const { kind, path } = first;
  if (first.sample) return { kind, path, ids, body: samplesBody(batch) };
  if (batch.length === 1)
    return { kind, path, ids, body: first.body ?? '', id: kind === 'ping' ? undefined : first.id };
  const body = `{"events":[${batch.map((item) => item.body).join(',')}]}`;
  return { kind: 'batch', path: '/v1/events/batch', ids, body };
}

/** One body of readings of one metric. */
export function samplesBody(batch: Item[]): string {
  const { name, unit } = batch[0]?.sample ?? {};
  const points = batch.map(({ sample }) => ({
    at: new Date(sample?.at ?? 0).toISOString(),
    value: sample?.value,
  }));
  return JSON.stringify({ name, unit, points });
}
