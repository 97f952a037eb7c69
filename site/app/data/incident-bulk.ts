import type {
  ChangeIncidentsRequestJson,
  ChangeIncidentsResponseJson,
  IncidentResultJson,
} from '@nightbell/proto';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, call, switchedMessage } from '~/lib/api';
import { isSame, sessionToCallWith } from '~/lib/session-change';
import { toIso } from '~/lib/time/instant';
import { toast } from '~/lib/toast';
import { type Seen, showFailure } from './incident-changes';
import { renew } from './renewal';

const atOnce = 1000; // the most ids of one call
const patience = 60_000; // they take longer than one

/** What a bulk action came to. */
export interface Tally {
  done: number;
  failed: string[];
}

/**
 * Acknowledges or resolves many incidents by one call for each thousand; the server finishes what
 * it was asked, also when this page is closed. Failures are counted; it rejects, and sends no more,
 * when somebody else is signed in.
 */
export async function changeMany(
  incidents: readonly Seen[],
  verb: 'acknowledge' | 'resolve',
): Promise<Tally> {
  const begunBy = sessionToCallWith();
  const failed: string[] = [];
  for (let first = 0; first < incidents.length; first += atOnce) {
    // A thousand takes its time, in which another tab may sign in as somebody else.
    const session = sessionToCallWith();
    if (!begunBy || !session || !isSame(session, begunBy)) throw new ApiError(switchedMessage, 401);
    failed.push(...(await changePart(incidents.slice(first, first + atOnce), verb)));
  }
  return { done: incidents.length - failed.length, failed };
}

// The ids of the part that did not change.
async function changePart(incidents: Seen[], verb: 'acknowledge' | 'resolve'): Promise<string[]> {
  const ids = incidents.map(({ id }) => id);
  try {
    const seen = verb === 'acknowledge' ? { seen: seenOf(incidents) } : {};
    const results = await post({ action: verb, ids, message: messages[verb], ...seen });
    const changed = new Set(results.filter((one) => !one.error).map((one) => one.id));
    return ids.filter((id) => !changed.has(id));
  } catch {
    return ids;
  }
}

/**
 * Acknowledges every unacknowledged incident, also those that are not loaded, up to the newest of
 * `seen`: what came later nobody has looked at. Fails with ApiError.
 */
export async function acknowledgeAll(seen: readonly (Seen & { triggeredAt: Date })[]): Promise<Tally> {
  const newest = seen.reduce((latest, one) => Math.max(latest, one.triggeredAt.getTime()), 0);
  // The server's times are finer than a millisecond.
  const filter = { triggered_before: toIso(newest + 1) };
  const results = await post({
    action: 'acknowledge',
    filter,
    message: messages.acknowledge,
    seen: seenOf(seen.slice(0, atOnce)),
  });
  const failed = results.filter((one) => one.error).map((one) => one.id ?? '');
  return { done: results.length - failed.length, failed };
}

function seenOf(incidents: readonly Seen[]): Seen[] {
  return incidents.map(({ id, severity }) => ({ id, severity }));
}

async function post(body: ChangeIncidentsRequestJson): Promise<IncidentResultJson[]> {
  const answer = await call<ChangeIncidentsResponseJson>({
    method: 'POST',
    path: '/v1/incidents/bulk',
    body,
    action: `${body.action} incidents`,
    keepSession: true,
    timeout: patience,
  });
  return answer.results ?? [];
}

const messages = { acknowledge: 'Incident acknowledged', resolve: 'Incident resolved' } as const;

/** The mutation behind the bulk bar; it says in one toast how many worked. */
export function useChangeMany() {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ incidents, verb }: { incidents: readonly Seen[]; verb: 'acknowledge' | 'resolve' }) =>
      changeMany(incidents, verb),
    onSuccess: (tally, { incidents, verb }) => {
      if (tally.failed.length === 0) return;
      toast({
        kind: 'failure',
        title: `Failed to ${verb} incident`,
        detail: `${tally.failed.length} of ${incidents.length} did not change. They are still selected.`,
        retry: () =>
          change.mutate({ incidents: incidents.filter(({ id }) => tally.failed.includes(id)), verb }),
      });
    },
    onSettled: () => void renew(client, 'incident'),
  });
  return change;
}

/** The mutation behind "Acknowledge all"; it says in one toast how many it were. */
export function useAcknowledgeAll() {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: acknowledgeAll,
    onSuccess: ({ done, failed }) =>
      toast(
        failed.length === 0
          ? { kind: 'success', title: `${done} incidents are acknowledged` }
          : {
              kind: 'failure',
              title: 'Failed to acknowledge incident',
              detail: `${failed.length} did not change.`,
            },
      ),
    onError: (error, seen) => showFailure(error, () => change.mutate(seen)),
    onSettled: () => void renew(client, 'incident'),
  });
  return change;
}
