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

/** Shows a message. There is one at a time and the newest wins. */
export function toast(message: Toast): void {
  set(message);
}

/** Takes the message away, if there is one. */
export function dismissToast(): void {
  set(null);
}

/** The message on screen, or null. */
export function currentToast(): Toast | null {
  return current;
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
