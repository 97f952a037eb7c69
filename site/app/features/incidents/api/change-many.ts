import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from '~/lib/toast';
import { changeIncident } from './change-incident';
import { incidentKeys } from './keys';

const atOnce = 6;

/** What a bulk action came to. */
export interface Tally {
  done: number;
  failed: string[];
}

/** Acknowledges or resolves many incidents, six calls at a time. Never rejects; failures are counted. */
export async function changeMany(ids: readonly string[], verb: 'acknowledge' | 'resolve'): Promise<Tally> {
  const tally: Tally = { done: 0, failed: [] };
  const waiting = [...ids];
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await changeIncident(id, verb);
        tally.done += 1;
      } catch {
        tally.failed.push(id);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, worker));
  return tally;
}

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
