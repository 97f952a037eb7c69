import type {
  ChangeIncidentsRequestJson,
  ChangeIncidentsResponseJson,
  IncidentResultJson,
} from '@nightbell/proto';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { announce } from '~/lib/announce';
import { ApiError, call, reasonOf, switchedMessage } from '~/lib/api';
import { isSame, sessionToCallWith } from '~/lib/session-change';
import { toIso } from '~/lib/time/instant';
import { dismissTried, toast } from '~/lib/toast';
import { shortId } from '~/lib/words';
import type { Seen } from './incident-changes';
import { renew } from './renewal';

const atOnce = 1000; // the most ids of one call
const patience = 60_000; // they take longer than one

/** What a bulk action came to. */
export interface Tally {
  done: number;
  /** Which did not change, or are not known to have. */
  failed: string[];
  /** How many of those may have changed all the same, because the answer was lost. */
  unknown: number;
  /** Why, in the server's words when it gave any, each sentence once. */
  reasons: string[];
}

type Failed = Omit<Tally, 'done'>;

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
  const parts: Failed[] = [];
  for (let first = 0; first < incidents.length; first += atOnce) {
    // A thousand takes its time, in which another tab may sign in as somebody else.
    const session = sessionToCallWith();
    if (!begunBy || !session || !isSame(session, begunBy)) throw new ApiError(switchedMessage, 401);
    parts.push(await changePart(incidents.slice(first, first + atOnce), verb));
  }
  const failed = parts.flatMap((part) => part.failed);
  return {
    done: incidents.length - failed.length,
    failed,
    unknown: parts.reduce((sum, part) => sum + part.unknown, 0),
    reasons: distinct(parts.flatMap((part) => part.reasons)),
  };
}

async function changePart(incidents: Seen[], verb: 'acknowledge' | 'resolve'): Promise<Failed> {
  const ids = incidents.map(({ id }) => id);
  try {
    const seen = verb === 'acknowledge' ? { seen: seenOf(incidents) } : {};
    const results = await post({ action: verb, ids, message: messages[verb], ...seen });
    const changed = new Set(results.filter((one) => !one.error).map((one) => one.id));
    return { failed: ids.filter((id) => !changed.has(id)), unknown: 0, reasons: refusals(results) };
  } catch (error) {
    return { failed: ids, unknown: isLost(error) ? ids.length : 0, reasons: whyOf(error) };
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
  return { done: results.length - failed.length, failed, unknown: 0, reasons: refusals(results) };
}

/** What is said of those that did not change: which, why, and whether they are still selected. */
export function failureWords({ done, failed, unknown, reasons }: Tally, selected: boolean): string {
  const asked = done + failed.length;
  const refused = failed.length - unknown;
  const one = asked === 1;
  return [
    refused > 0 && !one && `${refused} of ${asked} did not change.`,
    ...reasons,
    unknown > 0 &&
      `${one ? unknownWords : `Whether ${unknown} of ${asked} changed is not known.`} ${lookWords}`,
    selected && (one ? 'It is still selected.' : 'They are still selected.'),
  ]
    .filter((words) => typeof words === 'string')
    .join(' ');
}

const unknownWords = 'Whether it changed is not known.';
const lookWords = 'The list shows it once it is loaded again.';

// Whether the server may have done what was asked: nothing came back, or only a proxy's word. 503 is its own refusal.
function isLost(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || (error.status >= 500 && error.status !== 503);
}

// Why, as sentences. What failed is said by the toast's title: "Failed to resolve incidents: Bad Gateway" is "Bad Gateway."
function whyOf(error: unknown): string[] {
  const why = reasonOf(error as Error).replace(/^Failed to [^:]*(: )?/, '');
  return why === '' ? [] : [/[.!?]$/.test(why) ? why : `${why}.`];
}

function refusals(results: readonly IncidentResultJson[]): string[] {
  return distinct(results.flatMap(({ error }) => error?.message ?? []));
}

function distinct(sentences: readonly string[]): string[] {
  return [...new Set(sentences)];
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

interface Asking {
  /** Is told what changed, also by a Retry. */
  onDone: (changed: readonly string[]) => void;
  isSelected: (id: string) => boolean;
}

/** The mutation behind the bulk bar, keys and the palette; it says in one toast what did not work. */
export function useChangeMany(asking?: Asking) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ incidents, verb }: { incidents: readonly Seen[]; verb: 'acknowledge' | 'resolve' }) =>
      changeMany(incidents, verb),
    onSuccess: (tally, { incidents, verb }) => {
      const failed = new Set(tally.failed);
      const ids = incidents.map(({ id }) => id);
      const tried = `${verb} ${ids.join(' ')}`;
      asking?.onDone(ids.filter((id) => !failed.has(id)));
      if (failed.size === 0) {
        const what = ids.length === 1 ? shortId(ids[0] ?? '') : `${ids.length} incidents`;
        announce(`${verb === 'acknowledge' ? 'Acknowledged' : 'Resolved'} ${what}`);
        return dismissTried(tried);
      }
      toast({
        kind: 'failure',
        title: `Failed to ${verb} incident`,
        name: ids.length === 1 ? shortId(ids[0] ?? '') : undefined,
        detail: failureWords(tally, asking ? tally.failed.every(asking.isSelected) : false),
        tried,
        retry: () => change.mutate({ incidents: incidents.filter(({ id }) => failed.has(id)), verb }),
      });
    },
    onSettled: () => void renew(client, 'incident'),
  });
  return change;
}

/** The mutation behind "Acknowledge all"; it says in one toast how many it were. */
export function useAcknowledgeAll() {
  const client = useQueryClient();
  const tried = 'acknowledge all';
  const change = useMutation({
    mutationFn: acknowledgeAll,
    onSuccess: (tally) => {
      dismissTried(tried);
      toast(
        tally.failed.length === 0
          ? { kind: 'success', title: `${tally.done} incidents are acknowledged` }
          : { kind: 'failure', title: 'Failed to acknowledge incident', detail: failureWords(tally, false) },
      );
    },
    onError: (error, seen) =>
      toast({
        kind: 'failure',
        title: 'Failed to acknowledge incidents',
        detail: [...whyOf(error), isLost(error) ? `Whether they changed is not known. ${lookWords}` : '']
          .join(' ')
          .trim(),
        tried,
        retry: () => change.mutate(seen),
      }),
    onSettled: () => void renew(client, 'incident'),
  });
  return change;
}
