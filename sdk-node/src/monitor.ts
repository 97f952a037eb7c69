import { type Duration, milliseconds, shortDuration } from './duration.js';
import { ConfigError } from './errors.js';
import { type Event, type Incident, linksOf, type Severity, type Tree, tagsOf } from './event.js';
import { newId } from './id.js';
import type { Pipeline } from './pipeline.js';
import { applyContext, currentContext } from './scope.js';
import { snapshot } from './snapshot.js';

interface Threshold {
  /** How often to ask: `'5m'`. */
  every: Duration;
  /** Bad is below it; exactly the threshold is good. One of `below` and `above`. */
  below?: number | undefined;
  above?: number | undefined;
  /** Bad readings in a row before the incident; 1 by default. */
  forCount?: number | undefined;
  /** Resolve at the first good reading; true by default. */
  autoResolve?: boolean | undefined;
  /** Has a title and the severity high by itself. */
  incident?: Partial<Incident> | undefined;
}

/** A number that is asked for regularly. */
export interface Metric extends Threshold {
  query: () => number | Promise<number>;
  /** Of the reading, such as `ms`. */
  unit?: string | undefined;
}

/** A share that is asked for regularly, such as orders per visitors. */
export interface Ratio extends Threshold {
  query: () => Shares | Promise<Shares>;
  /** A smaller total says nothing. */
  minTotal?: number | undefined;
}

export interface Shares {
  hits: number;
  total: number;
}

/** Something regular that can be ended. */
export interface Running {
  stop(): void;
}

export interface Reading {
  value: number;
  shares?: Shares | undefined;
}

/** What a watch is made of. */
export interface WatchRule extends Omit<Threshold, 'every'> {
  kind: 'metric' | 'ratio';
  name: string;
  environment: string;
  newId: () => string;
}

/** A staging system must not resolve an incident of production. */
const monitorKey = (environment: string, name: string): string => `monitor:${environment}:${name}`;

/** The state of a monitor. It knows no clock. */
export class Watch {
  private bad = 0;
  private opened = false;
  private known = false; // whether it is open: an earlier process may have opened it

  constructor(private readonly rule: WatchRule) {}

  /** The event that a reading makes, if any. */
  look(at: number, reading: Reading): Event | undefined {
    const { below, above, forCount = 1, autoResolve = true } = this.rule;
    const isBad =
      (below !== undefined && reading.value < below) || (above !== undefined && reading.value > above);
    if (!isBad) {
      const resolves = (this.opened || !this.known) && autoResolve;
      this.bad = 0;
      this.opened = false;
      this.known = true;
      return resolves ? this.event('resolve', at) : undefined;
    }
    this.bad++;
    if (this.opened || this.bad < forCount) return undefined;
    this.opened = true;
    this.known = true;
    return { ...this.event('trigger', at), ...this.problem(reading) };
  }

  /**
   * An event has an id of its own: with one for each window, a second trigger of that window would
   * be answered as a repeat of the first. What replicas send, the dedup key joins.
   */
  private event(action: 'trigger' | 'resolve', at: number): Event {
    const { environment, newId, name } = this.rule;
    return {
      action,
      id: newId(),
      dedup_key: monitorKey(environment, name),
      occurred_at: new Date(at).toISOString(),
    };
  }

  private problem({ value, shares }: Reading): Partial<Event> {
    const { kind, name, below, above, incident = {} } = this.rule;
    const problem: Partial<Event> = {
      title: incident.title?.trim() || `${name} is ${below === undefined ? 'above' : 'below'} its threshold`,
      severity: incident.severity ?? 'high',
      tags: { type: kind, monitor: name, ...tagsOf(incident.tags) },
      metadata: {
        value,
        threshold: below ?? above,
        ...shares,
        ...(snapshot(incident.metadata) as Tree | undefined),
      },
    };
    if (incident.description) problem.description = incident.description;
    const links = linksOf(incident.links);
    if (links?.length) problem.links = links;
    return problem;
  }
}

/** A ratio, unless its total is too small to say something. */
export const ratioOf = ({ hits, total }: Shares, minTotal = 0): Reading | undefined =>
  total > 0 && total >= minTotal ? { value: hits / total, shares: { hits, total } } : undefined;

/** Asks now and then regularly. Its timer does not keep the process alive. */
export function startMonitor(
  pipeline: Pipeline,
  kind: 'metric' | 'ratio',
  name: string,
  config: Metric | Ratio,
  ask: () => Promise<Reading | undefined>,
): Running {
  const every = milliseconds(config.every);
  if (!name || !(every >= 1000) || (config.below === undefined) === (config.above === undefined))
    throw new ConfigError(
      'monitor',
      'bad_format',
      'A monitor has a name, every of at least a second, and either below or above.',
    );
  const watch = new Watch({ ...config, kind, name, environment: pipeline.settings.environment, newId });
  const unit = kind === 'ratio' ? '1' : (config as Metric).unit;
  const look = async (): Promise<void> => {
    const reading = await ask();
    if (!reading || Number.isNaN(reading.value) || !pipeline.on) return;
    const at = Date.now();
    const sample = { name, unit, at, value: reading.value };
    pipeline.enqueue({ kind: 'sample', id: '', path: '/v1/samples', sample, weight: 0, size: 64 });
    const event = watch.look(at, reading);
    if (event) pipeline.enqueueEvent(event);
  };
  let asking = false;
  return repeat(every, () => {
    if (asking || !pipeline.on) return; // the last query has not answered yet
    asking = true;
    look()
      .catch((error: unknown) =>
        pipeline.log.warn(`monitor ${name}`, `the monitor ${name} could not be read: ${String(error)}`),
      )
      .finally(() => {
        asking = false;
      });
  });
}

/** Runs `fn` now and every `interval` ms. */
export function repeat(interval: number, fn: () => void): Running {
  fn();
  const timer = setInterval(fn, interval);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** What is too slow, and how severe that is. */
export interface Performance {
  /** In ms or words; 5 s by default. */
  threshold?: Duration | undefined;
  severity?: Severity | undefined;
}

/**
 * Runs `fn`. If it takes longer than the threshold, an incident opens while it still runs, and is
 * told at the end how long it took. The result or error of `fn` passes through.
 */
export function watchPerformance<T>(pipeline: Pipeline, name: string, config: Performance, fn: () => T): T {
  if (!pipeline.on) return fn();
  const threshold = milliseconds(config.threshold ?? 5000);
  const start = Date.now();
  const context = currentContext();
  let fired = false;
  const send = (facts: Tree): void => {
    const event: Event = {
      action: 'trigger',
      id: newId(),
      dedup_key: monitorKey(pipeline.settings.environment, name),
      title: `${name} takes longer than ${shortDuration(threshold)}`,
      severity: config.severity ?? 'high',
      operation: name,
      // Both events have one time: after somebody resolved the incident, the second opens no other.
      occurred_at: new Date(start + threshold).toISOString(),
      tags: { type: 'performance', monitor: name },
      metadata: { threshold_ms: threshold, ...facts },
    };
    applyContext(event, context);
    pipeline.enqueueEvent(event);
  };
  const timer = setTimeout(() => {
    fired = true;
    send({ running: true });
  }, threshold);
  timer.unref();
  return whenDone(fn, () => {
    clearTimeout(timer);
    const took = Date.now() - start;
    // A synchronous function blocks the timer: then it is known only now.
    if (fired || took > threshold) send({ running: false, duration_ms: took });
  });
}

/** Runs `fn` and tells when it ended, also asynchronously; its result or error passes through. */
export function whenDone<T>(fn: () => T, done: (failed: boolean) => void): T {
  let result: T;
  try {
    result = fn();
  } catch (error) {
    done(true);
    throw error;
  }
  if (result instanceof Promise) {
    const settled = result.then(
      (value) => {
        done(false);
        return value;
      },
      (error: unknown) => {
        done(true);
        throw error;
      },
    );
    return settled as T;
  }
  done(false);
  return result;
}
