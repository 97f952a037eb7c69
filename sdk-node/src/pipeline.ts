import { type Answer, judge, type Verdict } from './answer.js';
import { type Logger, mask, type Settings } from './config.js';
import type { NightbellError } from './errors.js';
import { type Event, errorTitle, weightOf } from './event.js';
import { fingerprint } from './fingerprint.js';
import { type Cargo, Lane, samplesBody } from './lane.js';
import { Warner } from './log.js';
import { type Item, Queue } from './queue.js';
import type { Redactor } from './redact.js';
import { Spool } from './spool.js';
import { framesOf } from './stack.js';
import type { Transport } from './transport.js';
import { limit } from './truncate.js';

/** Why something was not delivered. */
export type DropReason =
  | 'queue_full'
  | 'rejected'
  | 'expired'
  | 'before_send'
  | 'closed'
  | 'exit'
  | 'internal';

/** Counts since the client was made. */
export interface Stats {
  /** Waiting or under way. */
  pending: number;
  requests: number;
  retries: number;
  delivered: number;
  dropped: Partial<Record<DropReason, number>>;
}

/** How far a flush came. */
export interface FlushResult {
  /** Nothing is left. */
  ok: boolean;
  delivered: number;
  pending: number;
  dropped: number;
}

const firstPause = 60_000;
const longestPause = 900_000;

/** Says whether the client may send: not for a while after its key was refused. */
class Gate {
  until = 0;
  /** The server told this process to stop for good. */
  off = false;
  private pause = 0;

  refused(now: number): void {
    if (this.until > now) return; // tries that were under way together count once
    this.pause = Math.min(Math.max(2 * this.pause, firstPause), longestPause);
    this.until = now + this.pause;
  }

  accepted(): void {
    this.pause = 0;
    this.until = 0;
  }
}

/** The way of everything that is reported: built, queued, sent, and counted when it is lost. */
export class Pipeline {
  readonly queue: Queue;
  readonly gate = new Gate();
  readonly log: Warner;
  /** Flushes under way. */
  hurry = 0;
  closed = false;
  private readonly lanes: [Lane, Lane];
  private readonly spool: Spool | undefined;
  private readonly counts: Omit<Stats, 'pending'> = { requests: 0, retries: 0, delivered: 0, dropped: {} };

  constructor(
    readonly settings: Settings,
    readonly transport: Transport,
    readonly redactor: Redactor,
    private readonly beforeSend: ((event: Event) => Event | null) | undefined,
    logger: Logger | undefined,
  ) {
    this.queue = new Queue(settings.maxQueue);
    this.log = new Warner(logger);
    this.lanes = [new Lane(this, false), new Lane(this, true)];
    this.spool = settings.spoolDir && settings.enabled ? new Spool(settings.spoolDir) : undefined;
  }

  get on(): boolean {
    return this.settings.enabled && !this.gate.off;
  }

  /** Queues an event whose body is made later. */
  enqueueEvent(event: Event, more: Partial<Item> = {}): void {
    const size =
      1024 +
      (event.title?.length ?? 0) +
      (event.description?.length ?? 0) +
      64 * Object.keys(event.tags ?? {}).length +
      256 * Object.keys(event.metadata ?? {}).length +
      (more.stacks ?? []).reduce((sum, stack) => sum + (stack?.length ?? 0), 0);
    this.enqueue({
      kind: 'event',
      id: event.id,
      path: '/v1/events',
      event,
      weight: weightOf(event.severity),
      urgent: event.severity === 'critical',
      size,
      ...more,
    });
  }

  /** Queues an item and reports whether it waits now. */
  enqueue(given: Pick<Item, 'kind' | 'id' | 'path' | 'weight' | 'size'> & Partial<Item>): boolean {
    const item: Item = {
      urgent: false,
      queuedAt: Date.now(),
      notBefore: 0,
      attempts: 0,
      ...given,
    };
    if (!this.on || this.closed) {
      if (this.settings.enabled) this.keep(this.closed ? 'closed' : 'rejected', [item]);
      return false;
    }
    const dropped = this.queue.add(item);
    if (dropped.length > 0) this.drop('queue_full', dropped);
    if (dropped.includes(item)) return false;
    this.lanes[item.urgent ? 1 : 0].added(item);
    return true;
  }

  /** Makes the final body of an item, and reports whether there is something to send. */
  build(item: Item): boolean {
    if (item.body !== undefined || item.sample) return true;
    if (!item.event) return false;
    for (const [n, stack] of (item.stacks ?? []).entries()) {
      const exception = item.event.error?.exceptions[n];
      const frames = stack === undefined ? [] : framesOf(stack, exception?.message ?? '');
      if (exception && frames.length > 0) exception.frames = frames;
    }
    item.stacks = undefined;
    const body = this.seal(item.event);
    item.event = undefined;
    if (body === undefined) this.drop('before_send', [item]);
    item.body = body;
    return body !== undefined;
  }

  /** Adds what every event has, asks beforeSend, redacts, limits and encodes. Undefined if beforeSend dropped it. */
  seal(given: Event): string | undefined {
    const { environment, serverName, release } = this.settings;
    const { id } = given;
    if (given.error) {
      given.error.fingerprint ??= fingerprint(environment, given.error.exceptions).sum;
      given.title ??= errorTitle(given.error.exceptions);
    }
    given.environment ??= environment;
    if (serverName) given.source ??= serverName;
    if (release) given.release ??= release;
    const event = this.ask(given);
    if (!event) return undefined;
    event.id = id; // retries and the queue know the event by it
    this.redactor.event(event);
    return limit(event).body;
  }

  /** Gives the program the last word. If it throws, the event goes as it was. */
  private ask(event: Event): Event | null {
    if (!this.beforeSend) return event;
    const before = structuredClone(event);
    try {
      return this.beforeSend(event);
    } catch (error) {
      this.log.warn('before_send', `beforeSend threw ${String(error)}; the event was sent as it was`);
      return before;
    }
  }

  send(
    cargo: Cargo,
    attempt: number,
    more: { awaited?: boolean; signal?: AbortSignal | undefined; timeout?: number | undefined } = {},
  ): Promise<Answer> {
    const { awaited = false, signal, timeout = this.settings.timeout } = more;
    const { kind, path, body, id } = cargo;
    return this.transport
      .send({ kind, path, body, id, attempt, timeout, awaited, signal })
      .catch((cause: unknown) => ({ failure: 'network', cause }));
  }

  /** Sends once, outside the queue. */
  async sendNow(cargo: Cargo, attempt: number, more?: Parameters<Pipeline['send']>[2]): Promise<Verdict> {
    const verdict = judge(cargo, await this.send(cargo, attempt, more), Date.now());
    this.note(cargo, verdict);
    return verdict;
  }

  /** Warns, counts and closes the gate after a verdict. */
  note(cargo: Cargo, verdict: Verdict): void {
    this.counts.requests++;
    if (!verdict.error) {
      this.gate.accepted();
      if (this.settings.debug) this.log.debug(`delivered ${cargo.kind} ${cargo.ids.join(' ')}`);
      return;
    }
    const { apiKey, serviceKey } = this.settings;
    if (verdict.outcome === 'disabled') {
      this.gate.off = true;
      this.log.warn('disabled', 'the server told this program to stop sending');
    } else if (verdict.pause) {
      this.gate.refused(Date.now());
      this.log.warn(
        'auth',
        `the key ${mask(apiKey ?? serviceKey ?? '')} was refused, sending pauses: ${verdict.error.message}`,
      );
    } else if (verdict.outcome === 'retry') {
      this.counts.retries++;
      if (this.settings.debug) this.log.debug(`sending failed and is tried again: ${verdict.error.message}`);
    }
  }

  delivered(item?: Item): void {
    this.counts.delivered++;
    item?.spooled?.done();
  }

  /** Counts what is lost, and says so without debug too. */
  drop(reason: DropReason, items: Item[], why?: NightbellError): void {
    if (items.length === 0) return;
    this.count(reason, items.length);
    if (reason !== 'before_send')
      this.log.warn(
        `drop_${reason}`,
        `${items.length} not delivered: ${reason}${why ? `: ${why.message}` : ''}`,
      );
    for (const item of items) item.spooled?.done();
  }

  count(reason: DropReason, number: number): void {
    this.counts.dropped[reason] = (this.counts.dropped[reason] ?? 0) + number;
  }

  /** Writes items to the spool, and drops what it does not take. A ping that is late says nothing. */
  keep(reason: DropReason, items: Item[]): void {
    if (!this.spool) {
      this.drop(reason, items);
      return;
    }
    this.drop(
      reason,
      items.filter((item) => item.kind === 'ping'),
    );
    const lines = items.filter((item) => item.kind !== 'ping' && this.build(item));
    for (const item of lines) item.body ??= samplesBody([item]);
    let refused = lines;
    try {
      refused = this.spool.write(lines);
    } catch (error) {
      this.log.warn('spool', `the spool cannot be written: ${String(error)}`);
    }
    this.drop(reason, refused);
    for (const item of lines) if (!refused.includes(item)) item.spooled?.done();
  }

  /** Queues what earlier processes left. */
  deliverSpool(): void {
    for (const item of this.spool?.claim(Date.now()) ?? []) this.enqueue(item);
  }

  /** Sends what waits, without waiting for more to send with it, for at most `timeout` ms. */
  async flush(timeout: number): Promise<FlushResult> {
    const before = this.sums();
    this.hurry++;
    for (const lane of this.lanes) lane.plan(0);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeout); // it also keeps the process alive until then
    });
    await Promise.race([this.queue.idle(), late]);
    clearTimeout(timer);
    this.hurry--;
    const after = this.sums();
    const { pending } = this.queue;
    return {
      ok: pending === 0 && after.dropped === before.dropped,
      delivered: after.delivered - before.delivered,
      pending,
      dropped: after.dropped - before.dropped,
    };
  }

  /** Ends the timers and keeps what is left. */
  shut(): void {
    this.closed = true;
    for (const lane of this.lanes) lane.stop();
    this.keep('closed', this.queue.drain());
    this.transport.close();
  }

  stats(): Stats {
    return { ...this.counts, dropped: { ...this.counts.dropped }, pending: this.queue.pending };
  }

  private sums(): { delivered: number; dropped: number } {
    const dropped = Object.values(this.counts.dropped).reduce((sum, count) => sum + count, 0);
    return { delivered: this.counts.delivered, dropped };
  }
}
