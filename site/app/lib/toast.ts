/** One short message to the reader. Failures stay until they are closed. */
export interface Toast {
  kind: 'info' | 'success' | 'failure';
  title: string;
  detail?: string;
  /** Does again what failed. */
  retry?: () => void;
}

let current: Toast | null = null;
const listeners = new Set<() => void>();
// Where messages can be shown, the last in use: outside of a modal dialog nothing can be pressed or heard.
const places: object[] = [];

/** Shows a message. There is one at a time and the newest wins. */
export function toast(message: Toast): void {
  set(message);
}

/** Takes the message away, if there is one. */
export function dismissToast(): void {
  set(null);
}

/** The message that a place shows, or null: only the newest place shows any. */
export function toastAt(place: object): Toast | null {
  return places.at(-1) === place ? current : null;
}

/** Shows messages in this place from now on, until the returned function gives it back. */
export function takeToasts(place: object): () => void {
  places.push(place);
  set(current);
  return () => {
    places.splice(places.indexOf(place), 1);
    set(current);
  };
}

/** Calls back whenever the message changes. Returns the way to stop. */
export function subscribeToast(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

function set(next: Toast | null): void {
  current = next;
  for (const notify of listeners) notify();
}
