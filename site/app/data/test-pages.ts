import type { GetTestPageResponseJson, SendTestPageResponseJson, TestPageJson } from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { memberKeys, testPageKeys } from './keys';

/** Sends a message that says it is a test to one of the reader's own contact methods. */
export function useSendTestPage() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (contactId: string): Promise<TestPageJson> => {
      const answer = await call<SendTestPageResponseJson>({
        method: 'POST',
        path: '/v1/test-pages',
        body: { contact_method_id: contactId },
        action: 'send a test page',
        keepSession: true,
      });
      return answer.test_page ?? {};
    },
    // Who is looked at next shows when they were tested last.
    onSettled: () => client.invalidateQueries({ queryKey: memberKeys.details, refetchType: 'none' }),
  });
}

/** What came of a test page so far. It is asked for again until it is sent or has failed. */
export const testPage = (id: string) =>
  queryOptions<TestPageJson>({
    queryKey: testPageKeys.one(id),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : 1000),
    queryFn: async ({ signal }): Promise<TestPageJson> => {
      const answer = await call<GetTestPageResponseJson>({
        method: 'GET',
        path: `/v1/test-pages/${encodeURIComponent(id)}`,
        action: 'fetch the receipt',
        signal,
      });
      return answer.test_page ?? {};
    },
  });

/** Whether a test page was sent or has failed. */
export function isOver(page: TestPageJson | undefined): boolean {
  return page?.status === 'sent' || page?.status === 'failed';
}
