/** One short message to the reader. Failures stay until they are closed or tried again. */
export interface Toast {
  kind: 'info' | 'success' | 'failure';
  title: string;
  detail?: string;
  /** What it is about, as people call it: "#c41e". */
  name?: string;
  /** What was tried, on which thing. A newer failure of the same takes the place of the older one. */
  tried?: string;
  /** Does again what failed. */
  retry?: () => void;
}

/** A message that stands. Said again it is another one, and is read aloud again. */
export interface Standing extends Toast {
  serial: number;
}

const none: readonly Standing[] = [];
let standing = none; // the oldest first
let said = 0;
let elsewhere: string | null = null;
const listeners = new Set<() => void>();
// Where messages can be shown, the last in use: outside of a modal dialog nothing can be pressed or heard.
const places: object[] = [];

/** Shows a message. Failures stand beside each other; of all others the newest wins, and takes no failure away. */
export function toast(message: Toast): void {
  said += 1;
  const { kind, title, name } = message;
  const shown = elsewhere === null ? message : { kind, title, name, detail: elsewhere || undefined };
  set([...standing.filter((old) => !replaces(message, old)), { ...shown, serial: said }]);
}

/**
 * Lets something say its messages where its page is not shown any more: with where it was, without what the
 * server said of it, and without a way to do it again.
 */
export function fromElsewhere(where: string, say: () => unknown): void {
  elsewhere = where;
  try {
    say();
  } finally {
    elsewhere = null;
  }
}

/** Takes one message away. */
export function dismissToast(serial: number): void {
  set(standing.filter((one) => one.serial !== serial));
}

/** Takes away the failure of something that was tried, because it worked since. */
export function dismissTried(tried: string): void {
  if (standing.some((one) => one.tried === tried)) set(standing.filter((one) => one.tried !== tried));
}

/** Takes all messages away. */
export function dismissToasts(): void {
  set(none);
}

/** The messages that a place shows, the oldest first: only the newest place shows any. */
export function toastsAt(place: object): readonly Standing[] {
  return places.at(-1) === place ? standing : none;
}

/** Shows messages in this place from now on, until the returned function gives it back. */
export function takeToasts(place: object): () => void {
  places.push(place);
  set(standing);
  return () => {
    places.splice(places.indexOf(place), 1);
    set(standing);
  };
}

/** Calls back whenever the messages change. Returns the way to stop. */
export function subscribeToast(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

function replaces(message: Toast, old: Toast): boolean {
  if (message.kind !== 'failure' || old.kind !== 'failure')
    return message.kind !== 'failure' && old.kind !== 'failure';
  if (message.tried) return message.tried === old.tried;
  return !old.retry && message.title === old.title && message.detail === old.detail;
}

function set(next: readonly Standing[]): void {
  standing = next;
  for (const notify of listeners) notify();
}
