import { ApiError, type ConnectionError, NightbellError } from './errors.js';
import { type Event, type IncidentResult, weightOf } from './event.js';
import type { Cargo } from './lane.js';
import type { Pipeline } from './pipeline.js';
import { foreground } from './retry.js';

/** Of one call that somebody awaits. */
export interface CallOptions {
  /** Ends the waiting; the event then goes out in the background. */
  signal?: AbortSignal | undefined;
  /** Of one try, in ms. */
  timeout?: number | undefined;
  /** A UUID that names this call: sent twice, it counts once. Made here if absent. */
  idempotencyKey?: string | undefined;
}

/** Sends an event while somebody waits for its result. What takes too long goes on in the background. */
export async function sendAwaited(
  pipeline: Pipeline,
  event: Event,
  call: CallOptions,
): Promise<IncidentResult> {
  if (!pipeline.on) return { id: null, eventId: null, status: 'disabled', truncated: [], warnings: [] };
  if (pipeline.closed) throw new NightbellError('closed', 'The client is closed.');
  const { id, severity } = event;
  const body = pipeline.seal(event);
  if (body === undefined) {
    pipeline.count('before_send', 1);
    throw new NightbellError('dropped', 'beforeSend dropped the event.');
  }
  const cargo: Cargo = { kind: 'event', path: '/v1/events', id, ids: [id], body };
  const timeout = call.timeout ?? pipeline.settings.timeout;
  const rule = { maxRetries: pipeline.settings.maxRetries, life: 3 * timeout };
  const start = Date.now();
  for (let n = 0; ; n++) {
    const verdict = await pipeline.sendNow(cargo, n + 1, { awaited: true, signal: call.signal, timeout });
    if (verdict.outcome === 'delivered' && verdict.result) {
      pipeline.delivered();
      return verdict.result;
    }
    const error = (verdict.error ?? new ApiError('api', 'The server refused the event.')) as
      | ApiError
      | ConnectionError;
    error.eventId = id;
    if (verdict.outcome !== 'retry') {
      pipeline.count('rejected', 1);
      throw error;
    }
    const delay = call.signal?.aborted
      ? undefined
      : foreground(rule, n, verdict.wish, Date.now() - start, Math.random);
    if (delay === undefined || !(await sleep(delay, call.signal))) {
      const waits = {
        kind: 'event' as const,
        id,
        path: '/v1/events',
        body,
        weight: weightOf(severity),
        urgent: severity === 'critical',
      };
      error.queued = pipeline.enqueue({ ...waits, size: body.length });
      throw error;
    }
  }
}

/** Reports whether nothing ended the sleep. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const aborted = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve(true);
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
    if (signal?.aborted) aborted();
  });
}
