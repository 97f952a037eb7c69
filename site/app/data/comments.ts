import { useMutation, useQueryClient } from '@tanstack/react-query';
import { announce } from '~/lib/announce';
import { call } from '~/lib/api';
import { randomToken } from '~/lib/device';
import { dismissTried } from '~/lib/toast';
import { showFailure } from './failure';
import { incidentKeys } from './keys';

// The last comment whose answer has not come. It outlives its page.
let asked = { of: '', key: '' };

/** The mutation behind Post. The same again is the same comment: when only the answer was lost, it stands there once. */
export function useAddComment(id: string) {
  const client = useQueryClient();
  const tried = `comment ${id}`;
  return useMutation({
    mutationFn: (message: string) => {
      const of = JSON.stringify([id, message]);
      if (of !== asked.of) asked = { of, key: randomToken() };
      return call({
        method: 'POST',
        path: `/v1/incidents/${encodeURIComponent(id)}/comments`,
        body: { message },
        action: 'post comment',
        headers: { 'Idempotency-Key': asked.key },
      });
    },
    onSuccess: (_, message) => {
      if (asked.of === JSON.stringify([id, message])) asked = { of: '', key: '' };
      dismissTried(tried);
      announce('Comment posted');
    },
    onError: (error) => showFailure(error, { id, tried }),
    onSettled: () => void client.invalidateQueries({ queryKey: incidentKeys.timeline(id) }),
  });
}
