import { halfWritten, keepHalfWritten, keyOfHalfWritten } from '~/lib/half-written';

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

// Beside what is being written stands what was sent last: its key outlives the form, as the text does.
const [form, sent] = ['incident', 'incident sent'];

/**
 * What was half written, for a form that is about a service, or about none yet. What was written of another
 * service is not given: it would page the people of this one.
 */
export function begun(about?: string): Begun {
  const kept = read();
  // Nobody repeats what was sent by writing it all again.
  if (!kept) keepHalfWritten(sent, '');
  if (!kept || !about || kept.of === about || kept.service === about) return kept ?? {};
  return kept.service ? {} : { ...kept, service: about, serviceName: undefined };
}

/** Keeps it over a reload and over the end of a session that nobody ended. */
export function keepBegun(now: Begun): void {
  keepHalfWritten(form, JSON.stringify(now));
}

/** The way to forget what is written now, once it was sent, unless something else is written by then. */
export function forgetOnceSent(): () => void {
  const written = halfWritten(form);
  return () => {
    if (halfWritten(form) === written) forgetBegun();
  };
}

/** Forgets it, because it was closed. */
export function forgetBegun(): void {
  keepHalfWritten(form, '');
}

/** The idempotency key to send this with: the same as long as the same is sent, also after a reload. */
export function keyToSend(body: string): string {
  keepHalfWritten(sent, body);
  return keyOfHalfWritten(sent);
}

function read(): Begun | null {
  try {
    return JSON.parse(halfWritten(form) || 'null');
  } catch {
    return null;
  }
}
