import type {
  GetOrganizationResponseJson,
  OrganizationJson,
  UpdateOrganizationResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { freshFor } from '~/lib/query-client';
import { accountKeys, meKeys, organizationKeys } from './keys';

/** The organization that is shown. */
export const organization = (id: string) =>
  queryOptions({
    queryKey: organizationKeys.all,
    staleTime: freshFor.detail,
    queryFn: async ({ signal }): Promise<OrganizationJson> => {
      const answer = await call<GetOrganizationResponseJson>({
        method: 'GET',
        path: `/v1/organizations/${encodeURIComponent(id)}`,
        action: 'fetch the organization',
        signal,
      });
      return answer.organization ?? {};
    },
  });

/** Renames it. */
export function useRenameOrganization() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag, name }: Version & { name: string }) =>
      call<UpdateOrganizationResponseJson>({
        method: 'PATCH',
        path: `/v1/organizations/${encodeURIComponent(id)}`,
        body: { name },
        headers: ifMatch(etag),
        action: 'save the organization',
        keepSession: true,
      }),
    onSuccess: ({ organization: saved }, { id }) =>
      // Only where it is shown; the refetch may take long, or fail.
      void client.setQueryData(organization(id).queryKey, (shown) => shown && saved),
    onSettled: () => {
      for (const queryKey of [organizationKeys.all, accountKeys.organizations, meKeys.all])
        void client.invalidateQueries({ queryKey });
    },
  });
}
