import { useSyncExternalStore } from 'react';

const query = '(max-width: 900px)';

/** Whether the window is as narrow as a phone, where tables become rows and weeks become days. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => matchMedia(query).matches,
    () => false,
  );
}

function subscribe(notify: () => void): () => void {
  const media = matchMedia(query);
  media.addEventListener('change', notify);
  return () => media.removeEventListener('change', notify);
}
