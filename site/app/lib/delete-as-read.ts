import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { isConflict, type Version } from './edits';

/**
 * Deletes a thing as the reader saw it. When somebody else has changed it since, `was` is what the
 * reader saw and `seen` what it is now, and the next confirmation is about that.
 */
export function useDeleteAsRead<T extends Version>(
  read: T,
  remove: UseMutationResult<unknown, Error, Version>,
  fetchNow: () => Promise<T | undefined>,
) {
  const [seen, setSeen] = useState(read);
  const [was, setWas] = useState<T | null>(null);
  const confirm = (onSuccess: () => void) =>
    remove.mutate(seen, {
      onSuccess,
      onError: async (error) => {
        if (!isConflict(error)) return;
        const now = await fetchNow();
        if (now === undefined) return;
        setWas(seen);
        setSeen(now);
        remove.reset();
      },
    });
  return { seen, was, confirm };
}
