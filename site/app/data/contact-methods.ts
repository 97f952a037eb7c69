import type {
  ContactMethodJson,
  CreateContactMethodRequestJson,
  CreateContactMethodResponseJson,
  ListContactMethodsResponseJson,
  SendVerificationResponseJson,
} from '@nightbell/proto';
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, reasonOf } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { toast } from '~/lib/toast';
import { contactKeys, memberKeys, policyKeys, ruleKeys } from './keys';
import { askAgain } from './renewal';

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

/** Adds a way to reach the reader, told at once of everything, or a shared channel. */
export function useAddContact() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateContactMethodRequestJson) =>
      call<CreateContactMethodResponseJson>({
        method: 'POST',
        path: '/v1/contact-methods',
        body,
        action: 'add the contact method',
        keepSession: true,
      }),
    onSuccess: () => renewContacts(client),
  });
}

/** Deletes one, and its rules with it. What was sent to it stays in the log. */
export function useDeleteContact() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag }: Version) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/contact-methods/${encodeURIComponent(id)}`,
        headers: ifMatch(etag),
        action: 'delete the contact method',
        keepSession: true,
      }),
    onSettled: () => renewContacts(client),
  });
}

const renewContacts = (client: QueryClient) =>
  askAgain(client, [contactKeys.all, ruleKeys.all, memberKeys.all, policyKeys.all]);
