import { ApiError, authorized } from './api';
import { readEvents, type StreamEvent } from './event-stream';
import { endSession } from './session';

/** Whether what is on screen follows the server, and when it last heard from it. */
export interface LiveStatus {
  live: boolean;
  /** Milliseconds since 1970; 0 before the first contact. */
  lastHeard: number;
}

const firstRetry = 500;
const longestRetry = 15_000;
// The server sends a comment every few seconds; longer silence means a dead connection.
const silence = 45_000;

let status: LiveStatus = { live: false, lastHeard: 0 };
const listeners = new Set<() => void>();

/** The state of the feed. The same object until it changes. */
export function liveStatus(): LiveStatus {
  return status;
}

/** Calls back when the feed connects or breaks. Returns the way to stop. */
export function subscribeLive(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/**
 * Follows the organization's events until `signal` aborts. After a break it continues with the
 * last event it saw, so that none is missed, waiting longer each time up to 15 seconds.
 * `onConnect` is called whenever a connection is up, the first one included: what happened between
 * a page's first fetch and the feed's beginning is in no event. A session that cannot be renewed
 * ends here as it does in any call.
 */
export async function follow(
  onEvent: (event: StreamEvent) => void,
  onConnect: () => void,
  signal: AbortSignal,
): Promise<void> {
  let lastId = '';
  let wait = firstRetry;
  const remember = (event: StreamEvent) => {
    lastId = event.id || lastId;
    onEvent(event);
  };
  while (!signal.aborted) {
    try {
      await connectOnce(lastId, signal, remember, () => {
        onConnect();
        wait = firstRetry;
      });
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 401) return endSession('expired');
      // An id the server does not know, because its data was replaced: begin anew.
      if (cause instanceof ApiError && cause.status === 400) lastId = '';
    }
    setStatus(false);
    await pause(wait * (0.75 + Math.random() / 2), signal);
    wait = Math.min(wait * 2, longestRetry);
  }
}

async function connectOnce(
  lastId: string,
  signal: AbortSignal,
  onEvent: (event: StreamEvent) => void,
  onOpen: () => void,
): Promise<void> {
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal.addEventListener('abort', stop);
  let watchdog = setTimeout(stop, silence);
  try {
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (lastId) headers['Last-Event-ID'] = lastId;
    const response = await authorized({
      method: 'GET',
      path: '/v1/stream',
      action: 'follow events',
      headers,
      signal: abort.signal,
    });
    if (!response.ok || !response.body) throw new ApiError('The live feed did not open.', response.status);
    onOpen();
    setStatus(true);
    await readEvents(response.body, onEvent, () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(stop, silence);
      setStatus(true);
    });
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', stop);
  }
}

function setStatus(live: boolean): void {
  const changed = status.live !== live;
  const lastHeard = live ? Date.now() : status.lastHeard;
  if (!changed) {
    // Nobody draws the time while the feed is up, so it may change in place.
    status.lastHeard = lastHeard;
    return;
  }
  status = { live, lastHeard };
  for (const notify of listeners) notify();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const now = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', now, { once: true });
    // A network that comes back is worth trying at once.
    window.addEventListener('online', now, { once: true });
  });
}
