import { type Duration, milliseconds, wholeSeconds } from './duration.js';
import { ConfigError, invalid } from './errors.js';
import { compact } from './event.js';
import { type Running, repeat } from './monitor.js';
import type { Pipeline } from './pipeline.js';
import type { Item } from './queue.js';

/** How often a heartbeat pings, and how late a ping may be. */
export interface HeartbeatOptions {
  /** 60 s by default. */
  every?: Duration | undefined;
  grace?: Duration | undefined;
}

/** One sign of life, for what cannot keep a heartbeat running. */
export interface PingOptions extends HeartbeatOptions {
  /** `ok` by default; `stop` says that silence is no failure from now on. */
  status?: 'ok' | 'start' | 'fail' | 'stop' | undefined;
  /** Connects the start and the end of a run. */
  runId?: string | undefined;
}

/** What is sent. */
export interface Ping {
  status: 'ok' | 'start' | 'fail' | 'stop';
  run_id?: string | undefined;
  every_seconds?: number | undefined;
  grace_seconds?: number | undefined;
  schedule?: string | undefined;
  time_zone?: string | undefined;
  max_runtime_seconds?: number | undefined;
}

export const pingPath = (name: string): string => `/v1/heartbeats/${encodeURIComponent(name)}/ping`;

type PingItem = Pick<Item, 'kind' | 'id' | 'path' | 'body' | 'weight' | 'size' | 'urgent'>;

export function pingItem(name: string, ping: Ping): PingItem {
  const body = JSON.stringify(compact(ping));
  return { kind: 'ping', id: '', path: pingPath(name), body, weight: 3, size: body.length, urgent: true };
}

/** Queues one ping. */
export function pingOnce(
  pipeline: Pipeline,
  name: string,
  { status = 'ok', runId, every, grace }: PingOptions,
): void {
  if (!name) throw invalid('name', 'required', 'Give the heartbeat a name.');
  if (!pipeline.on) return;
  const ping: Ping = {
    status,
    run_id: runId,
    every_seconds: every === undefined ? undefined : wholeSeconds(every),
    grace_seconds: grace === undefined ? undefined : wholeSeconds(grace),
  };
  pipeline.enqueue(pingItem(name, ping));
}

/** Pings now and then regularly until it is stopped, which says that this is no failure. */
export function startHeartbeat(pipeline: Pipeline, name: string, options: HeartbeatOptions): Running {
  const every = milliseconds(options.every ?? 60_000);
  if (!name || !(every >= 1000))
    throw new ConfigError(
      'heartbeat',
      'bad_format',
      'A heartbeat has a name and every of at least a second.',
    );
  const ping: Ping = {
    status: 'ok',
    every_seconds: wholeSeconds(every),
    grace_seconds: options.grace === undefined ? undefined : wholeSeconds(options.grace),
  };
  const item = pingItem(name, ping);
  const beating = repeat(every, () => void beat(pipeline, item));
  let stopped = false;
  return {
    stop() {
      if (stopped) return;
      stopped = true;
      beating.stop();
      if (pipeline.on) pipeline.enqueue(pingItem(name, { status: 'stop' }));
    },
  };
}

/** Pings once, and again after a second if that failed. It is never queued: a ping that is late says nothing. */
async function beat(pipeline: Pipeline, item: PingItem, attempt = 1): Promise<void> {
  if (!pipeline.on || pipeline.closed || pipeline.gate.until > Date.now()) return;
  const verdict = await pipeline.sendNow(
    { kind: 'ping', path: item.path, body: item.body ?? '', ids: [] },
    attempt,
  );
  if (verdict.outcome === 'delivered') return;
  pipeline.log.warn('heartbeat', `a heartbeat was not delivered: ${verdict.error?.message}`);
  if (verdict.outcome !== 'retry' || attempt > 1) return;
  setTimeout(() => void beat(pipeline, item, 2), Math.max(verdict.wish, 1000)).unref();
}
