import type { ChangeIncidentsRequestJson, ChangeIncidentsResponseJson } from '@nightbell/proto';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '~/lib/api';
import { toast } from '~/lib/toast';
import { incidentKeys } from './keys';

const atOnce = 1000; // the most ids of one call

/** What a bulk action came to. */
export interface Tally {
  done: number;
  failed: string[];
}

/**
 * Acknowledges or resolves many incidents by one call for each thousand; the server finishes what
 * it was asked, also when this page is closed. Never rejects; failures are counted.
 */
export async function changeMany(ids: readonly string[], verb: 'acknowledge' | 'resolve'): Promise<Tally> {
  const failed: string[] = [];
  for (let first = 0; first < ids.length; first += atOnce) {
    failed.push(...(await changePart(ids.slice(first, first + atOnce), verb)));
  }
  return { done: ids.length - failed.length, failed };
}

// The ids of the part that did not change.
async function changePart(ids: string[], verb: 'acknowledge' | 'resolve'): Promise<string[]> {
  const body: ChangeIncidentsRequestJson = { action: verb, ids, message: messages[verb] };
  try {
    const answer = await call<ChangeIncidentsResponseJson>({
      method: 'POST',
      path: '/v1/incidents/bulk',
      body,
      action: `${verb} incidents`,
      keepSession: true,
    });
    const changed = new Set((answer.results ?? []).filter((one) => !one.error).map((one) => one.id));
    return ids.filter((id) => !changed.has(id));
  } catch {
    return ids;
  }
}

const messages = { acknowledge: 'Incident acknowledged', resolve: 'Incident resolved' } as const;

/** The mutation behind the bulk bar; it says in one toast how many worked. */
export function useChangeMany() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, verb }: { ids: readonly string[]; verb: 'acknowledge' | 'resolve' }) =>
      changeMany(ids, verb),
    onSuccess: (tally, { ids, verb }) => {
      if (tally.failed.length === 0) return;
      toast({
        kind: 'failure',
        title: `Failed to ${verb} incident`,
        detail: `${tally.failed.length} of ${ids.length} did not change. They are still selected.`,
      });
    },
    onSettled: () => void client.invalidateQueries({ queryKey: incidentKeys.all }),
  });
}
