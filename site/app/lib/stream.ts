import { ApiError, authorized, SessionExpired } from './api';
import { readEvents, type StreamEvent } from './event-stream';
import { currentIdentity } from './identity';
import { pause } from './pause';

/** What the tab that reads the stream does with it. */
export interface StreamReader {
  /** The id of the last event that any tab has seen, to continue after it; empty to begin now. */
  after: () => string;
  /** A connection is up, and has said something. */
  onOpen: () => void;
  onEvent: (event: StreamEvent) => void;
  /** Anything arrived, heartbeats too. */
  onHeard: () => void;
  /** The server does not know the last id, because its data was replaced. */
  onForget: () => void;
}

/** The event of a window that finds out that its computer slept. */
export const awake = 'nightbell-awake';

const firstRetry = 500;
const longestRetry = 15_000;
// Three heartbeats of the server; longer silence means a dead connection.
const silence = 12_000;
// More than one heartbeat. What ends sooner is tried again ever later, as is what is no stream.
const lasting = 5000;

/**
 * Reads the organization's events for one identity until `signal` aborts, connecting again after a
 * break, with longer waits up to 15 seconds. A session that cannot be renewed ends here as it does
 * in any call.
 */
export async function readStream(identity: string, reader: StreamReader, signal: AbortSignal): Promise<void> {
  let wait = firstRetry;
  while (!signal.aborted) {
    const again = new AbortController();
    const now = () => again.abort();
    // A network that comes back, and a computer that wakes up, are worth trying at once.
    for (const name of ['online', awake]) window.addEventListener(name, now);
    const began = Date.now();
    try {
      await connectOnce(identity, reader, AbortSignal.any([signal, again.signal]));
    } catch (cause) {
      if (cause instanceof SessionExpired) return;
      if (cause instanceof ApiError && cause.status === 400) reader.onForget();
    }
    if (Date.now() - began >= lasting) wait = firstRetry;
    await pause(wait * (0.75 + Math.random() / 2), AbortSignal.any([signal, again.signal]));
    for (const name of ['online', awake]) window.removeEventListener(name, now);
    wait = again.signal.aborted ? firstRetry : Math.min(wait * 2, longestRetry);
  }
}

async function connectOnce(identity: string, reader: StreamReader, signal: AbortSignal): Promise<void> {
  const abort = new AbortController();
  const stop = () => abort.abort();
  const either = AbortSignal.any([signal, abort.signal]);
  let watchdog = setTimeout(stop, silence);
  try {
    const after = reader.after();
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (after) headers['Last-Event-ID'] = after;
    // Another tab may have switched accounts; its events are not for the tabs of this identity.
    if (currentIdentity() !== identity) return;
    const response = await authorized({
      method: 'GET',
      path: '/v1/stream',
      action: 'follow events',
      headers,
      signal: either,
      timeout: 0,
    });
    if (currentIdentity() !== identity) return stop();
    // A page of a proxy is no stream, whatever its status.
    const kind = response.headers.get('Content-Type') ?? '';
    if (!response.ok || !response.body || !kind.startsWith('text/event-stream'))
      throw new ApiError('The live feed did not open.', response.status);
    let open = false;
    await readEvents(
      response.body,
      (event) => {
        if (!either.aborted && currentIdentity() === identity) reader.onEvent(event);
      },
      () => {
        if (currentIdentity() !== identity) return stop();
        clearTimeout(watchdog);
        watchdog = setTimeout(stop, silence);
        if (!open) reader.onOpen();
        open = true;
        reader.onHeard();
      },
    );
  } finally {
    clearTimeout(watchdog);
    stop();
  }
}
