import type { Event } from './event.js';
import type { SpoolFile } from './spool.js';

export const mostBatch = 100;
const mostBatchBytes = 256 << 10;
const mostBytes = 4 << 20;
/** How long an event waits for others to travel with. */
export const linger = 1000;

/** One reading of a metric. */
export interface Sample {
  name: string;
  unit: string | undefined;
  at: number;
  value: number;
}

/** One thing that waits to be sent. */
export interface Item {
  kind: 'event' | 'change' | 'sample' | 'ping';
  id: string;
  path: string;
  /** Final once it was built: every try sends the same. */
  body?: string | undefined;
  event?: Event | undefined;
  /** Of each exception of the event; they become frames when the body is built. */
  stacks?: (string | undefined)[] | undefined;
  sample?: Sample | undefined;
  urgent: boolean;
  /** Of the severity: the lightest is dropped first. */
  weight: number;
  size: number;
  /** Equal errors that wait become one with a count. */
  merge?: string | undefined;
  queuedAt: number;
  firstTry?: number;
  notBefore: number;
  attempts: number;
  /** The most events to send it with, after failures. */
  company?: number;
  /** Where it also lies on disk. */
  spooled?: SpoolFile | undefined;
}

/**
 * Holds what waits, bounded by number and bytes, in two lanes: what is critical never waits
 * behind a batch that gets no answer.
 */
export class Queue {
  private readonly lanes: [Item[], Item[]] = [[], []];
  private readonly flying = new Set<Item>();
  private readonly merging = new Map<string, Item>();
  private bytes = 0;
  private whenIdle: (() => void)[] = [];

  constructor(private readonly most: number) {}

  get pending(): number {
    return this.lanes[0].length + this.lanes[1].length + this.flying.size;
  }

  /** How many wait in a lane. */
  waiting(urgent: boolean): number {
    return this.lane(urgent).length;
  }

  /** The item that stands for this error already, with one occurrence more. */
  merge(key: string): Item | undefined {
    const same = this.merging.get(key);
    if (same?.event) same.event.count = (same.event.count ?? 1) + 1;
    return same;
  }

  /** Puts an item in and returns what had to go for it: the oldest of the least severe, or the item itself. */
  add(item: Item): Item[] {
    const dropped: Item[] = [];
    while (this.pending >= this.most || this.bytes + item.size > mostBytes) {
      const lightest = this.lightest();
      if (!lightest || lightest.weight > item.weight) return [...dropped, item];
      this.leave(lightest.urgent, new Set([lightest]));
      dropped.push(lightest);
    }
    this.bytes += item.size;
    this.lane(item.urgent).push(item);
    if (item.merge !== undefined) this.merging.set(item.merge, item);
    return dropped;
  }

  /**
   * Removes what can be sent together now, or says how long to wait (undefined: until something
   * is added). `hurry` ignores the linger of a batch, not the delay of a retry.
   */
  take(urgent: boolean, hurry: boolean, now: number): { batch?: Item[]; wait?: number | undefined } {
    let wait: number | undefined;
    const batch: Item[] = [];
    let size = 0;
    let most = 0;
    let oldest = now;
    for (const item of this.lane(urgent)) {
      const [first] = batch;
      if (item.notBefore > now) {
        wait = Math.min(wait ?? Number.POSITIVE_INFINITY, item.notBefore - now);
        continue;
      }
      if (!first) most = batchLimit(item);
      else if (batch.length >= most || size + item.size > mostBatchBytes || !together(first, item)) continue;
      batch.push(item);
      size += item.size;
      if (item.attempts === 0) oldest = Math.min(oldest, item.queuedAt);
    }
    const [first] = batch;
    if (!first) return { wait };
    const full = batch.length >= most || size >= mostBatchBytes / 2;
    const rest = linger - (now - oldest);
    if (!urgent && !hurry && !full && first.kind !== 'ping' && first.attempts === 0 && rest > 0)
      return { wait: Math.min(wait ?? rest, rest) };
    this.leave(urgent, new Set(batch));
    for (const item of batch) this.flying.add(item);
    return { batch };
  }

  /** Returns items to the front of their lane for another try. */
  putBack(urgent: boolean, items: Item[]): void {
    const kept = items.filter((item) => this.flying.delete(item)); // the end of the program may have taken it
    for (const item of kept) {
      this.bytes += item.size;
      item.merge = undefined; // what was sent once does not change
    }
    this.lane(urgent).unshift(...kept);
    this.tellIdle();
  }

  /** Says that this item is no longer under way. */
  finish(item: Item): void {
    this.flying.delete(item);
    this.tellIdle();
  }

  /** Takes everything out, also what is under way: it is sent again under the same id. */
  drain(): Item[] {
    const items = [...this.lanes[1], ...this.flying, ...this.lanes[0]];
    this.lanes[0].length = 0;
    this.lanes[1].length = 0;
    this.flying.clear();
    this.merging.clear();
    this.bytes = 0;
    this.tellIdle();
    return items;
  }

  /** Resolves as soon as nothing waits and nothing is under way. */
  idle(): Promise<void> {
    if (this.pending === 0) return Promise.resolve();
    return new Promise((resolve) => this.whenIdle.push(resolve));
  }

  private tellIdle(): void {
    if (this.pending > 0) return;
    for (const resolve of this.whenIdle.splice(0)) resolve();
  }

  private lane(urgent: boolean): Item[] {
    return this.lanes[urgent ? 1 : 0];
  }

  private lightest(): Item | undefined {
    let found: Item | undefined;
    for (const lane of this.lanes)
      for (const item of lane) if (!found || item.weight < found.weight) found = item;
    return found;
  }

  /** These items no longer wait: they take no more occurrences. */
  private leave(urgent: boolean, items: Set<Item>): void {
    this.lanes[urgent ? 1 : 0] = this.lane(urgent).filter((item) => !items.has(item));
    for (const item of items) {
      this.bytes -= item.size;
      if (item.merge !== undefined && this.merging.get(item.merge) === item) this.merging.delete(item.merge);
    }
  }
}

/** How many may travel with an item. */
const batchLimit = (first: Item): number =>
  first.kind === 'event' || (first.kind === 'sample' && first.sample) ? (first.company ?? mostBatch) : 1;

const together = (a: Item, b: Item): boolean =>
  a.kind === b.kind &&
  (a.kind === 'sample'
    ? b.sample !== undefined && a.sample?.name === b.sample.name && a.sample.unit === b.sample.unit
    : a.kind === 'event');
