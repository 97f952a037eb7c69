import { useMutation, useQueryClient } from '@tanstack/react-query';
import { announce } from '~/lib/announce';
import { call } from '~/lib/api';
import { dismissTried } from '~/lib/toast';
import { showFailure } from './failure';
import { incidentKeys } from './keys';

interface Comment {
  message: string;
  /** What has the same is the same comment: when only the answer was lost, it stands there once. */
  key: string;
}

/** The mutation behind Post. */
export function useAddComment(id: string) {
  const client = useQueryClient();
  const tried = `comment ${id}`;
  return useMutation({
    mutationFn: ({ message, key }: Comment) =>
      call({
        method: 'POST',
        path: `/v1/incidents/${encodeURIComponent(id)}/comments`,
        body: { message },
        action: 'post comment',
        headers: { 'Idempotency-Key': key },
      }),
    onSuccess: () => {
      dismissTried(tried);
      announce('Comment posted');
    },
    onError: (error) => showFailure(error, { id, tried }),
    onSettled: () => void client.invalidateQueries({ queryKey: incidentKeys.timeline(id) }),
  });
}
