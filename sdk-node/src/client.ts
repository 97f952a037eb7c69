import { builtin } from './builtin.js';
import { type CaptureContext, captureError } from './capture.js';
import { load, type Options, type Settings } from './config.js';
import { invalid, NightbellError } from './errors.js';
import {
  type Breadcrumb,
  type Change,
  changeBody,
  type Event,
  type Incident,
  type IncidentResult,
  incidentEvent,
  type User,
} from './event.js';
import { autoCapture, deliverAtExit, forgetAtExit } from './exit.js';
import { type HeartbeatOptions, type PingOptions, pingOnce, startHeartbeat } from './heartbeat.js';
import { newId } from './id.js';
import { type JobOptions, runJob } from './job.js';
import {
  type Metric,
  type Performance,
  type Ratio,
  type Running,
  ratioOf,
  startMonitor,
  watchPerformance,
} from './monitor.js';
import { type FlushResult, Pipeline, type Stats } from './pipeline.js';
import { redactor } from './redact.js';
import {
  addBreadcrumb,
  applyContext,
  type Context,
  currentContext,
  setOperation,
  setTag,
  setUser,
  withContext,
} from './scope.js';
import { type CallOptions, sendAwaited } from './send.js';
import { HttpTransport } from './transport.js';
import { limitChange } from './truncate.js';

const warnings = {
  key_missing: 'nothing is reported: set NIGHTBELL_SERVICE_KEY or NIGHTBELL_API_KEY',
  base_url_missing: 'there is a key and no server: set NIGHTBELL_BASE_URL',
};

/**
 * Reports to Nightbell. Make one per program. Without a key it does nothing and warns once.
 * After construction only what has a result throws: `triggerIncident`, `acknowledge`, `resolve`.
 */
export class Nightbell {
  private readonly pipeline: Pipeline;
  private readonly options: Options;
  private readonly running = new Set<Running>();
  private stopCapture: (() => void) | undefined;

  /** Throws a ConfigError for a value that cannot be right. */
  constructor(options: Options = {}) {
    const { settings, warnings: found } = load(options, process.env, hostName());
    this.options = options;
    const transport = options.transport ?? new HttpTransport(settings);
    this.pipeline = new Pipeline(
      settings,
      transport,
      redactor(options.redactKeys),
      options.beforeSend,
      options.logger,
    );
    for (const warning of found) this.pipeline.log.warn(warning, warnings[warning]);
    if (!settings.enabled) return;
    deliverAtExit(this.pipeline);
    if (settings.enableAutoCapture)
      this.stopCapture = autoCapture((error, about) => this.captureError(error, about));
    this.guard(() => this.pipeline.deliverSpool());
  }

  /** The effective configuration. */
  get settings(): Readonly<Settings> {
    return this.pipeline.settings;
  }

  /**
   * Reports an incident and waits for its id. It retries within three times the timeout; after
   * that the error says `queued`, and the background goes on under the same id.
   */
  async triggerIncident(incident: Incident, call: CallOptions = {}): Promise<IncidentResult> {
    const event = incidentEvent(incident, call.idempotencyKey ?? newId());
    applyContext(event, currentContext());
    return sendAwaited(this.pipeline, event, call);
  }

  /** Reports an incident without waiting. Returns the id of the event, or null if nothing is sent. */
  enqueueIncident(incident: Incident, call: Pick<CallOptions, 'idempotencyKey'> = {}): string | null {
    return this.guard(() => {
      const event = incidentEvent(incident, call.idempotencyKey ?? newId());
      if (!this.pipeline.on) return null;
      applyContext(event, currentContext());
      this.pipeline.enqueueEvent(event);
      return event.id;
    });
  }

  /** Acknowledges the open incident of this key. Without one the status is `ignored`. */
  async acknowledge(dedupKey: string, call: CallOptions = {}): Promise<IncidentResult> {
    return this.respond('acknowledge', dedupKey, call);
  }

  /** Resolves the open incident of this key. Without one the status is `ignored`. */
  async resolve(dedupKey: string, call: CallOptions = {}): Promise<IncidentResult> {
    return this.respond('resolve', dedupKey, call);
  }

  private async respond(
    action: 'acknowledge' | 'resolve',
    dedupKey: string,
    call: CallOptions,
  ): Promise<IncidentResult> {
    if (!dedupKey?.trim()) throw invalid('dedup_key', 'required', 'Give the dedup key of the incident.');
    const id = call.idempotencyKey ?? newId();
    const event: Event = { action, id, dedup_key: dedupKey, occurred_at: new Date().toISOString() };
    return sendAwaited(this.pipeline, event, call);
  }

  /**
   * Captures an error with its causes, stack and context, without waiting. Returns the id of the
   * event, or null if nothing is sent: ignored, not sampled, or captured within the last minute.
   */
  captureError(error: unknown, context: CaptureContext = {}): string | null {
    return this.guard(() => captureError(this.pipeline, this.options, error, context, this.captureError));
  }

  /** Runs `fn` with a context of its own: whatever is reported in it, also later, says so. */
  withContext<T>(context: Context, fn: () => T): T {
    return withContext(context, fn);
  }

  setUser(user: User | undefined): void {
    setUser(user);
  }

  setOperation(operation: string | undefined): void {
    setOperation(operation);
  }

  setTag(name: string, value: string): void {
    setTag(name, value);
  }

  /** Remembers what happened, for the errors that follow in this context. */
  addBreadcrumb(crumb: Breadcrumb): void {
    addBreadcrumb(crumb);
  }

  /** Runs `fn`; an incident opens if it takes longer than the threshold (5 s), while it still runs. */
  performance<T>(name: string, fn: () => T): T;
  performance<T>(name: string, options: Performance, fn: () => T): T;
  performance<T>(name: string, ...rest: [() => T] | [Performance, () => T]): T {
    const [options, fn] = rest.length === 1 ? [{}, rest[0]] : rest;
    return watchPerformance(this.pipeline, name, options, fn);
  }

  /**
   * Asks for a number regularly; an incident opens when it is bad. Replicas open one incident, which
   * the first good reading of any resolves: a number of one process needs a name of its own.
   */
  metricMonitor(name: string, metric: Metric): Running {
    const ask = async () => ({ value: await metric.query() });
    return this.keepRunning(startMonitor(this.pipeline, 'metric', name, metric, ask));
  }

  /** Asks for a share regularly, like metricMonitor. */
  ratioMonitor(name: string, ratio: Ratio): Running {
    const ask = async () => ratioOf(await ratio.query(), ratio.minTotal);
    return this.keepRunning(startMonitor(this.pipeline, 'ratio', name, ratio, ask));
  }

  /** Says every 60 s that the program lives. Nightbell opens an incident when it stops saying so. */
  heartbeat(name: string, options: HeartbeatOptions = {}): Running {
    return this.keepRunning(startHeartbeat(this.pipeline, name, options));
  }

  /** Pings a heartbeat once, without waiting. */
  ping(name: string, options: PingOptions = {}): void {
    pingOnce(this.pipeline, name, options);
  }

  /** Runs `fn` and says that it starts and how it ended. */
  job<T>(name: string, fn: () => T): T;
  job<T>(name: string, options: JobOptions, fn: () => T): T;
  job<T>(name: string, ...rest: [() => T] | [JobOptions, () => T]): T {
    const [options, fn] = rest.length === 1 ? [{}, rest[0]] : rest;
    return runJob(this.pipeline, name, options, fn);
  }

  /** Reports a deployment or another change without waiting. Returns its id, or null if nothing is sent. */
  recordChange(change: Change): string | null {
    const id = newId();
    const made = changeBody(change, id, this.settings.environment);
    if (!this.pipeline.on) return null;
    return this.guard(() => {
      const { redactor } = this.pipeline;
      made.summary = redactor.text(made.summary);
      if (made.metadata) made.metadata = redactor.value(made.metadata);
      redactor.links(made.links as Event['links']);
      const body = limitChange(made);
      this.pipeline.enqueue({ kind: 'change', id, path: '/v1/changes', body, weight: 1, size: body.length });
      return id;
    });
  }

  /** Reports a reading, such as a latency in `ms`, without waiting. It never pages anybody. */
  recordSample(name: string, value: number, unit?: string): void {
    if (!this.pipeline.on || !name || !Number.isFinite(value)) return;
    const sample = { name, unit, at: Date.now(), value };
    this.pipeline.enqueue({ kind: 'sample', id: '', path: '/v1/samples', sample, weight: 0, size: 64 });
  }

  /** Sends what waits, for at most `timeout` ms (2000). */
  flush(timeout = this.settings.flushTimeout): Promise<FlushResult> {
    return this.pipeline.flush(timeout);
  }

  /** Stops heartbeats and monitors, sends what waits, and keeps the rest in the spool if there is one. */
  async close(timeout = this.settings.flushTimeout): Promise<FlushResult> {
    for (const running of [...this.running]) running.stop();
    this.stopCapture?.();
    const result = await this.pipeline.flush(timeout);
    this.pipeline.shut();
    forgetAtExit(this.pipeline);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What became of everything so far. */
  stats(): Stats {
    return this.pipeline.stats();
  }

  private keepRunning(running: Running): Running {
    const kept: Running = {
      stop: () => {
        this.running.delete(kept);
        running.stop();
      },
    };
    this.running.add(kept);
    return kept;
  }

  /** Keeps a fault in here out of the program. */
  private guard<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      const known = error instanceof NightbellError;
      this.pipeline.log.warn('internal', known ? error.message : `an internal fault: ${String(error)}`);
      return null;
    }
  }
}

function hostName(): string | undefined {
  try {
    return builtin('os').hostname();
  } catch {
    return undefined;
  }
}
