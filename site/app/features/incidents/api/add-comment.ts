import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { showFailure } from './change-incident';
import { incidentKeys } from './keys';

/** The mutation behind Post. */
export function useAddComment(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (message: string) =>
      call({
        method: 'POST',
        path: `/v1/incidents/${encodeURIComponent(id)}/comments`,
        body: { message },
        action: 'post comment',
      }),
    onError: (error) => showFailure(error),
    onSettled: () => void client.invalidateQueries({ queryKey: incidentKeys.timeline(id) }),
  });
}
