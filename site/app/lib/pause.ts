/** Resolves after some milliseconds, or at once when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const now = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', now);
      resolve();
    };
    const timer = setTimeout(now, ms);
    if (signal?.aborted) now();
    else signal?.addEventListener('abort', now);
  });
}
