import type {
  ContactMethodJson,
  ListContactMethodsResponseJson,
  SendVerificationResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, reasonOf } from '~/lib/api';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { toast } from '~/lib/toast';
import { contactKeys } from './keys';

const renewEvery = 30_000;

/** How the signed-in person is reached, and the channels everybody shares, as they work now. */
export const contactMethods = queryOptions({
  queryKey: contactKeys.all,
  staleTime: freshFor.list,
  refetchInterval: renewEvery,
  queryFn: async ({ signal }): Promise<ContactMethodJson[]> => {
    const pages = await callPages<ListContactMethodsResponseJson>({
      method: 'GET',
      path: '/v1/contact-methods',
      action: 'fetch contact methods',
      signal,
    });
    return pages.flatMap((page) => page.contact_methods ?? []);
  },
});

/** Mails the link again that lets an e-mail address be paged, and says so in a toast. */
export function useSendVerification() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<SendVerificationResponseJson>({
        method: 'POST',
        path: `/v1/contact-methods/${encodeURIComponent(id)}/verification`,
        body: {},
        action: 'send the link',
        keepSession: true,
      }),
    onSuccess: ({ verified }) =>
      toast({
        kind: 'success',
        title: verified
          ? 'This address is verified already.'
          : 'The link is on its way. It works for seven days.',
      }),
    onError: (error) => toast({ kind: 'failure', title: reasonOf(error) }),
    onSettled: () => client.invalidateQueries(contactMethods),
  });
}
