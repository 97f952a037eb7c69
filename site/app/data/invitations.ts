import type {
  CreateInvitationRequestJson,
  CreateInvitationResponseJson,
  InvitationJson,
  ListInvitationsResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { callPages } from '~/lib/pages';
import { invitationKeys } from './keys';
import { askAgain } from './renewal';

const renewEvery = 15_000;

/** The invitations that wait, the newest first. Only admins may read them. */
export const invitationList = queryOptions({
  queryKey: invitationKeys.all,
  staleTime: renewEvery,
  refetchInterval: renewEvery,
  queryFn: async ({ signal }): Promise<InvitationJson[]> => {
    const pages = await callPages<ListInvitationsResponseJson>({
      method: 'GET',
      path: '/v1/invitations?status=pending',
      action: 'fetch invitations',
      signal,
    });
    return pages.flatMap((page) => page.invitations ?? []);
  },
});

/** Invites an address, in the place of an invitation of it that still waits. With `link`, the answer holds the link. */
export function useInvite() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateInvitationRequestJson) =>
      call<CreateInvitationResponseJson>({
        method: 'POST',
        path: '/v1/invitations',
        body,
        action: 'invite',
        keepSession: true,
      }),
    onSettled: () => askAgain(client, [invitationKeys.all]),
  });
}

/** Ends an invitation at once. */
export function useRevokeInvitation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/invitations/${encodeURIComponent(id)}`,
        action: 'revoke the invitation',
        keepSession: true,
      }),
    onSettled: () => askAgain(client, [invitationKeys.all]),
  });
}
