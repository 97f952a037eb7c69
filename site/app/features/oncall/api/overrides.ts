import type {
  CreateOverrideResponseJson,
  GetOverrideResponseJson,
  ListOverridesResponseJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { freshFor } from '~/lib/query-client';
import { type NewOverride, type Override, toOverride } from '../model/schedule';
import { oncallKeys } from './keys';

/** Overrides of all schedules: what is on or ahead, soonest first; with the past, newest first. */
export const overrideList = (past: boolean) =>
  queryOptions({
    queryKey: oncallKeys.overrides(past),
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<Override[]> => {
      const pages = await callPages<ListOverridesResponseJson>({
        method: 'GET',
        path: past ? '/v1/overrides?past=true' : '/v1/overrides',
        action: 'fetch overrides',
        signal,
      });
      return pages.flatMap((page) => page.overrides ?? []).map(toOverride);
    },
  });

/** One override as it is stored now. */
export const overrideById = (id: string) =>
  queryOptions({
    queryKey: oncallKeys.override(id),
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Override> => {
      const answer = await call<GetOverrideResponseJson>({
        method: 'GET',
        path: addressOf(id),
        action: 'fetch override',
        signal,
      });
      return toOverride(answer.override ?? {});
    },
  });

/** The mutation that puts somebody else on call, or changes an override. It takes effect at once. Fails with ApiError. */
export function useSaveOverride(override: Override | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (wanted: NewOverride): Promise<Override> => {
      const answer = await call<CreateOverrideResponseJson>({
        method: override ? 'PATCH' : 'POST',
        path: override
          ? addressOf(override.id)
          : `/v1/schedules/${encodeURIComponent(wanted.scheduleId)}/overrides`,
        body: bodyOf(wanted),
        headers: ifMatch(override?.etag),
        action: override ? 'save override' : 'create override',
        keepSession: true,
      });
      return toOverride(answer.override ?? {});
    },
    onSuccess: () => client.invalidateQueries({ queryKey: oncallKeys.all }),
  });
}

/** The mutation that takes an override back, as it was read. Fails with ApiError. */
export function useDeleteOverride() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag }: Override) =>
      call<object>({
        method: 'DELETE',
        path: addressOf(id),
        headers: ifMatch(etag),
        action: 'delete override',
        keepSession: true,
      }),
    onSettled: () => client.invalidateQueries({ queryKey: oncallKeys.all }),
  });
}

const addressOf = (id: string) => `/v1/overrides/${encodeURIComponent(id)}`;

function bodyOf(wanted: NewOverride): object {
  return {
    kind: wanted.kind,
    ...(wanted.personId && wanted.kind !== 'vacant' ? { user_id: wanted.personId } : {}),
    ...(wanted.kind === 'cover' ? { replaces_user_id: wanted.replacesId } : {}),
    starts_at: new Date(wanted.from).toISOString(),
    ends_at: new Date(wanted.to).toISOString(),
    reason: wanted.reason.trim(),
  };
}
