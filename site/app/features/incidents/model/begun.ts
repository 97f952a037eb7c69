import { randomToken } from '~/lib/device';
import { halfWritten, keepHalfWritten } from '~/lib/half-written';

/** What stood in the form for a new incident when it was left. */
export interface Begun {
  /** The service whose page it was opened on. */
  of?: string;
  title?: string;
  description?: string;
  severity?: string;
  service?: string;
  /** What the service is called: its list may come later than the form. */
  serviceName?: string;
}

/** What was sent, with its idempotency key. */
export interface Sent {
  body: string;
  key: string;
  /** When the key was made, in milliseconds. */
  at: number;
  answered?: boolean;
}

// Beside what is being written stands what was sent last: its key outlives the form, as the text does.
const [form, sent] = ['incident', 'incident sent'];
// Later the same words are new trouble: the server would answer with the incident of then.
const samePress = 15 * 60_000;

/**
 * What was half written, for a form that is about a service, or about none yet. What was written of another
 * service is not given: it would page the people of this one.
 */
export function begun(about?: string): Begun {
  const kept = read<Begun>(form);
  // Who writes again what was created means another one.
  if (!kept && read<Sent>(sent)?.answered) keepHalfWritten(sent, '');
  if (!kept || !about || kept.of === about || kept.service === about) return kept ?? {};
  return kept.service ? {} : { ...kept, service: about, serviceName: undefined };
}

/** Keeps it over a reload and over the end of a session that nobody ended. */
export function keepBegun(now: Begun): void {
  keepHalfWritten(form, JSON.stringify(now));
}

/** The way to forget what is written now, once it was created, unless something else is written by then. */
export function forgetOnceCreated(): () => void {
  const written = halfWritten(form);
  return () => {
    if (halfWritten(form) === written) forgetBegun();
    keepHalfWritten(sent, JSON.stringify({ ...read<Sent>(sent), answered: true }));
  };
}

/** Forgets it, because it was closed. */
export function forgetBegun(): void {
  keepHalfWritten(form, '');
}

/** What to send this as: with the same key as before for as long as the same is sent, also after a reload. */
export function toSend(body: string, before: Sent | null): Sent {
  const last = before ?? read<Sent>(sent);
  if (last?.body === body && Date.now() - last.at < samePress) return last;
  const now = { body, key: randomToken(), at: Date.now() };
  keepHalfWritten(sent, JSON.stringify(now));
  return now;
}

function read<T>(what: string): T | null {
  try {
    return JSON.parse(halfWritten(what) || 'null');
  } catch {
    return null;
  }
}
