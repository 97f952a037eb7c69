import type { CreateOverrideResponseJson, ListOverridesResponseJson } from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { freshFor } from '~/lib/query-client';
import { type NewOverride, type Override, toOverride } from '../model/schedule';
import { oncallKeys } from './keys';

/** Overrides of all schedules: what is on or ahead, soonest first; with the past, newest first. */
export const overrideList = (past: boolean) =>
  queryOptions({
    queryKey: oncallKeys.overrides(past),
    staleTime: freshFor.list,
    queryFn: async ({ signal }): Promise<Override[]> => {
      const answer = await call<ListOverridesResponseJson>({
        method: 'GET',
        path: past ? '/v1/overrides?past=true' : '/v1/overrides',
        action: 'fetch overrides',
        signal,
      });
      return (answer.overrides ?? []).map(toOverride);
    },
  });

/** The mutation that puts somebody else on call. It takes effect at once. Fails with ApiError. */
export function useCreateOverride() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (wanted: NewOverride): Promise<Override> => {
      const answer = await call<CreateOverrideResponseJson>({
        method: 'POST',
        path: `/v1/schedules/${encodeURIComponent(wanted.scheduleId)}/overrides`,
        body: bodyOf(wanted),
        action: 'create override',
        keepSession: true,
      });
      return toOverride(answer.override ?? {});
    },
    onSuccess: () => client.invalidateQueries({ queryKey: oncallKeys.all }),
  });
}

/** The mutation that takes an override back. Fails with ApiError. */
export function useDeleteOverride() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<object>({
        method: 'DELETE',
        path: `/v1/overrides/${encodeURIComponent(id)}`,
        action: 'delete override',
        keepSession: true,
      }),
    onSettled: () => client.invalidateQueries({ queryKey: oncallKeys.all }),
  });
}

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
