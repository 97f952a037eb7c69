import type { ConfirmInstallationResponseJson, GetInstallationResponseJson } from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { toast } from '~/lib/toast';
import { installationKeys } from './keys';
import { askAgain } from './renewal';

/** A sentence that stands on every page until its cause is gone. */
export interface Notice {
  kind: string;
  message: string;
}

const renewEvery = 30_000;

const installation = queryOptions({
  queryKey: installationKeys.all,
  refetchInterval: renewEvery,
  queryFn: ({ signal }) =>
    call<GetInstallationResponseJson>({
      method: 'GET',
      path: '/v1/installation',
      action: 'load notices',
      keepSession: true,
      signal,
    }),
});

/** What keeps this installation from paging. */
export const notices = queryOptions({ ...installation, select: toNotices });

/** Where mail goes: to a mail server, or, where there is none, to the built-in inbox. */
export const mailPlace = queryOptions({ ...installation, select: ({ mail }) => mail });

function toNotices({ notices = [] }: GetInstallationResponseJson): Notice[] {
  return notices.map(({ kind = '', message = '' }) => ({ kind, message }));
}

/** Lets a restored copy page. Fails with ApiError, which the dialog shows. */
export function useConfirmCopy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<ConfirmInstallationResponseJson>({
        method: 'POST',
        path: '/v1/installation/confirm',
        body: {},
        action: 'confirm this copy',
        keepSession: true,
      }),
    onSuccess: ({ message = '' }) => toast({ kind: 'success', title: message }),
    onSettled: () => askAgain(client, [notices.queryKey]),
  });
}
