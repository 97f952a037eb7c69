import type {
  EraseAccountRequestJson,
  EraseAccountResponseJson,
  EraseOrganizationResponseJson,
  GetAccountDutiesResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { ApiError, authorized, call, messageOf, readJson } from '~/lib/api';
import { saveBlob } from '~/lib/save-file';
import { accountKeys } from './keys';

// A large organization takes a while to delete, and to write down.
const patience = 120_000;

/** What becomes of each organization of the account with it, and who is to be replaced where. */
export const accountDuties = queryOptions({
  queryKey: accountKeys.duties,
  staleTime: 0,
  queryFn: ({ signal }) =>
    call<GetAccountDutiesResponseJson>({
      method: 'GET',
      path: '/v1/account/duties',
      action: 'fetch what names you',
      signal,
    }),
});

/** Deletes the account. */
export function useDeleteAccount() {
  return useMutation({
    mutationFn: (body: EraseAccountRequestJson) =>
      call<EraseAccountResponseJson>({
        method: 'POST',
        path: '/v1/account/erase',
        body,
        action: 'delete the account',
        keepSession: true,
        timeout: patience,
      }),
  });
}

/** Deletes the organization that is shown. */
export function useDeleteOrganization() {
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string; name: string; password: string }) =>
      call<EraseOrganizationResponseJson>({
        method: 'POST',
        path: `/v1/organizations/${encodeURIComponent(id)}/erase`,
        body,
        action: 'delete the organization',
        keepSession: true,
        timeout: patience,
      }),
  });
}

/** Saves all that is stored of the account as a file. */
export function useExportAccount() {
  return useMutation({ mutationFn: () => download('/v1/account/export', 'nightbell-account.json') });
}

async function download(path: string, name: string): Promise<void> {
  const response = await authorized({ method: 'GET', path, action: 'download your data', timeout: patience });
  if (!response.ok) {
    const reason = messageOf(await readJson(response));
    throw new ApiError('Failed to download your data', response.status, reason);
  }
  // Broken off, it would be no whole file.
  const content = await response.blob().catch(() => {
    throw new ApiError('The download broke off. Please try again.', 0);
  });
  saveBlob(name, content);
}
