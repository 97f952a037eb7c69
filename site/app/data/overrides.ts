import type {
  CreateOverrideRequestJson,
  CreateOverrideResponseJson,
  GetOverrideResponseJson,
  ListOverridesResponseJson,
  OverrideJson,
} from '@nightbell/proto';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { ifMatch, type Version } from '~/lib/edits';
import { callPages } from '~/lib/pages';
import { PressKey } from '~/lib/press-key';
import { freshFor } from '~/lib/query-client';
import { scheduleKeys } from './keys';
import { renew } from './renewal';

const addressOf = (id: string) => `/v1/overrides/${encodeURIComponent(id)}`;

/** Overrides of all schedules: what is on or ahead, soonest first; with the past, newest first. */
export const overrideList = (past: boolean) =>
  queryOptions({
    queryKey: scheduleKeys.overrides(past),
    staleTime: freshFor.list,
    refetchInterval: freshFor.list,
    queryFn: async ({ signal }): Promise<OverrideJson[]> => {
      const pages = await callPages<ListOverridesResponseJson>({
        method: 'GET',
        path: past ? '/v1/overrides?past=true' : '/v1/overrides',
        action: 'fetch overrides',
        signal,
      });
      return pages.flatMap((page) => page.overrides ?? []);
    },
  });

/** One override as it is stored now. */
export const overrideById = (id: string) =>
  queryOptions({
    queryKey: scheduleKeys.override(id),
    staleTime: 0,
    queryFn: async ({ signal }): Promise<OverrideJson> => {
      const answer = await call<GetOverrideResponseJson>({
        method: 'GET',
        path: addressOf(id),
        action: 'fetch override',
        signal,
      });
      return answer.override ?? {};
    },
  });

/** An override to make, or to change when there is an id. */
interface OverrideToSave extends Partial<Version> {
  scheduleId: string;
  body: CreateOverrideRequestJson;
}

/** How long the same new override is the same press. Later it is another, though the server would replay it. */
export const samePressFor = 2 * 60_000;

// Of the last new override whose answer has not come. It outlives its dialog.
const making = new PressKey(samePressFor);

/**
 * The mutation that puts somebody else on call, or changes an override. It takes effect at once. The same new one
 * again is the same press: when only the answer was lost, it is made once. Fails with ApiError.
 */
export function useSaveOverride() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, etag, scheduleId, body }: OverrideToSave) => {
      const key = id ? '' : making.keyOf(JSON.stringify([scheduleId, body]));
      const answer = await call<CreateOverrideResponseJson>({
        method: id ? 'PATCH' : 'POST',
        path: id ? addressOf(id) : `/v1/schedules/${encodeURIComponent(scheduleId)}/overrides`,
        body,
        headers: id ? ifMatch(etag) : { 'Idempotency-Key': key },
        action: id ? 'save override' : 'create override',
        keepSession: true,
      });
      // After a change the same one made again is a new one too.
      if (id) making.forget();
      else making.answered(key);
      return answer;
    },
    onSuccess: () => renew(client, 'schedule'),
    // What was stored although the answer was lost shows. Why it failed does not wait for that.
    // No `onError`: with one the failure would be told to nobody once the popover is closed (lib/query-client.ts).
    onSettled: (_, error) => {
      if (error) void renew(client, 'schedule');
    },
  });
}

/** The mutation that takes an override back, as it was read. Fails with ApiError. */
export function useDeleteOverride() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, etag }: Version) =>
      call<object>({
        method: 'DELETE',
        path: addressOf(id),
        headers: ifMatch(etag),
        action: 'delete override',
        keepSession: true,
      }),
    // The same one made again is a new one then.
    onSuccess: () => making.forget(),
    onSettled: () => renew(client, 'schedule'),
  });
}
