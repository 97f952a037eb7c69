import type {
  AcknowledgeIncidentResponseJson,
  CreateIncidentRequestJson,
  CreateIncidentResponseJson,
  IncidentJson,
  ListIncidentsResponseJson,
} from '@nightbell/proto';
import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { announce } from '~/lib/announce';
import { call } from '~/lib/api';
import { PressKey } from '~/lib/press-key';
import { dismissTried } from '~/lib/toast';
import { shortId } from '~/lib/words';
import { showFailure } from './failure';
import { incidentKeys } from './keys';
import { renew } from './renewal';

/** What a person can do to an incident, other than commenting. */
export type Verb =
  | 'acknowledge'
  | 'resolve'
  | 'assign'
  | 'escalate'
  | 'snooze'
  | 'severity'
  | 'merge'
  | 'links'
  | 'subscribers';

const bodies = {
  acknowledge: { message: 'Incident acknowledged' },
  resolve: { message: 'Incident resolved' },
} as const;

/** Does one thing to one incident and returns its new state. Fails with ApiError. */
export async function changeIncident(
  { id, severity }: Seen,
  verb: 'acknowledge' | 'resolve',
): Promise<IncidentJson> {
  // An acknowledgement counts for the severity that was on the screen.
  const seen = verb === 'acknowledge' ? { severity_seen: severity } : {};
  return post(id, verb, { ...bodies[verb], ...seen }, `${verb} incident`);
}

/** One press of Acknowledge or Resolve, and the incident as it was shown then. */
export interface Press {
  verb: 'acknowledge' | 'resolve';
  incident: Seen;
}

/** The mutation behind Acknowledge and Resolve. A failure is shown as a toast, with a Retry of the same press. */
export function useChangeIncident() {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ verb, incident }: Press) => changeIncident(incident, verb),
    onSuccess: (changed, { verb, incident }) => {
      dismissTried(`${verb} ${incident.id}`);
      accept(client, changed, verb === 'acknowledge' ? 'Acknowledged' : 'Resolved');
    },
    onError: (error, press) =>
      showFailure(error, {
        id: press.incident.id,
        tried: `${press.verb} ${press.incident.id}`,
        retry: () => change.mutate(press),
      }),
    onSettled: () => void renew(client, 'incident'),
  });
  return change;
}

/** An incident as somebody saw it: an answer counts for that severity, and for no higher one. */
export interface Seen {
  id: string;
  severity: string;
}

/** An incident as far as a person sees in it who is paged next. */
interface Sight {
  id: string;
  status: unknown;
  acknowledgedAt: unknown;
  escalation: unknown;
}

// Of the last Escalate whose answer has not come. It outlives its dialog.
const escalation = new PressKey();

/**
 * The mutation behind Escalate, whose variable is the incident as the person saw it. Again on the same
 * sight is the same press: when only the answer was lost, nobody further is woken. Once another step
 * shows, a press is a new one.
 */
export function useEscalateIncident() {
  const client = useQueryClient();
  const press = useMutation({
    mutationFn: ({ id, key }: { id: string; key: string }) =>
      post(id, 'escalate', {}, 'escalate incident', { 'Idempotency-Key': key }),
    onSuccess: (incident, { id, key }) => {
      escalation.answered(key);
      dismissTried(`escalate ${id}`);
      accept(client, incident, 'Escalated');
    },
    onError: (error, pressed) =>
      showFailure(error, {
        id: pressed.id,
        tried: `escalate ${pressed.id}`,
        retry: () => press.mutate(pressed),
      }),
    onSettled: () => void renew(client, 'incident'),
  });
  const escalate = (seen: Sight, options?: { onSettled: () => void }) => {
    const of = JSON.stringify([seen.id, seen.status, seen.acknowledgedAt, seen.escalation]);
    press.mutate({ id: seen.id, key: escalation.keyOf(of) }, options);
  };
  return { escalate, isPending: press.isPending };
}

/** The mutation behind Assign. An empty user id gives the incident to nobody. */
export function useAssignIncident(id: string) {
  return useAnswer('Reassigned', (userId: string) =>
    post(id, 'assign', userId === '' ? {} : { assignee_id: userId }, 'assign incident'),
  );
}

/** The mutation behind Snooze: nobody is paged for so many seconds. */
export function useSnoozeIncident({ id, severity }: Seen) {
  return useAnswer('Snoozed', (seconds: number) =>
    post(id, 'snooze', { duration_seconds: seconds, severity_seen: severity }, 'snooze incident'),
  );
}

/** The mutation behind the severity's dialog. */
export function useChangeSeverity(id: string) {
  return useAnswer('Changed the severity of', (severity: string) =>
    post(id, 'severity', { severity }, 'change severity'),
  );
}

/** The mutation behind Merge: the incident ends, and its alerts go on in another one. */
export function useMergeIncident(id: string) {
  return useAnswer('Merged', (intoId: string) => post(id, 'merge', { into_id: intoId }, 'merge incident'));
}

/** The mutation behind Link: both incidents show the other one. */
export function useLinkIncident(id: string) {
  return useAnswer('Linked', (linkedId: string) =>
    post(id, 'links', { linked_id: linkedId }, 'link incident'),
  );
}

/** Takes a link away. A failure is shown as a toast. */
export function useUnlinkIncident(id: string) {
  return useSmallChange(id, 'Unlinked', (id, linkedId) => remove(id, 'links', linkedId, 'remove the link'));
}

/** Lets somebody be mailed what happens to the incident; an empty user id means oneself. A failure is shown as a toast. */
export function useSubscribe(id: string) {
  return useSmallChange(id, 'Subscribed to', (id, userId) =>
    post(id, 'subscribers', userId === '' ? {} : { user_id: userId }, 'subscribe'),
  );
}

/** Ends it. A failure is shown as a toast. */
export function useUnsubscribe(id: string) {
  return useSmallChange(id, 'Unsubscribed from', (id, userId) =>
    remove(id, 'subscribers', userId, 'unsubscribe'),
  );
}

/**
 * A mutation without a dialog, and what is said of it once it is done. What was asked of which incident goes
 * with it, so that a Retry repeats that.
 */
function useSmallChange(
  id: string,
  done: string,
  send: (id: string, other: string) => Promise<IncidentJson>,
) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (asked: { id: string; other: string }) => send(asked.id, asked.other),
    onSuccess: (incident, asked) => {
      dismissTried(`${done} ${asked.id} ${asked.other}`);
      accept(client, incident, done);
    },
    onError: (error, asked) =>
      showFailure(error, {
        id: asked.id,
        tried: `${done} ${asked.id} ${asked.other}`,
        retry: () => change.mutate(asked),
      }),
    onSettled: () => void renew(client, 'incident'),
  });
  return {
    isPending: change.isPending,
    /** The other one that it is asked for now. */
    doing: change.isPending ? change.variables.other : undefined,
    mutate: (other: string, options?: { onSuccess: () => void }) => change.mutate({ id, other }, options),
  };
}

/** A mutation whose dialog shows why it failed, and closes when it did not; then it is said to be done. */
function useAnswer<T>(done: string, mutationFn: (choice: T) => Promise<IncidentJson>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (incident) => accept(client, incident, done),
    onSettled: () => void renew(client, 'incident'),
  });
}

/** What is declared by hand. */
interface Declaration {
  body: CreateIncidentRequestJson;
  /** What has the same is the same incident: when only the answer was lost, nobody is paged twice. */
  key: string;
}

/** The mutation behind Create Incident. Fails with ApiError, which the dialog shows. */
export function useCreateIncident() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, key }: Declaration): Promise<IncidentJson> => {
      const answer = await call<CreateIncidentResponseJson>({
        method: 'POST',
        path: '/v1/incidents',
        body,
        action: 'create incident',
        headers: { 'Idempotency-Key': key },
        keepSession: true,
      });
      return answer.incident ?? {};
    },
    onSuccess: () => void renew(client, 'incident'),
  });
}

async function post(
  id: string,
  verb: Verb,
  body: object,
  action: string,
  headers?: Record<string, string>,
): Promise<IncidentJson> {
  const answer = await call<AcknowledgeIncidentResponseJson>({
    method: 'POST',
    path: `/v1/incidents/${encodeURIComponent(id)}/${verb}`,
    body,
    action,
    headers,
    keepSession: true,
  });
  return answer.incident ?? { id };
}

async function remove(id: string, part: string, other: string, action: string): Promise<IncidentJson> {
  const answer = await call<AcknowledgeIncidentResponseJson>({
    method: 'DELETE',
    path: `/v1/incidents/${encodeURIComponent(id)}/${part}/${encodeURIComponent(other)}`,
    action,
    keepSession: true,
  });
  return answer.incident ?? { id };
}

// Says that it is done. The answer is newer than any list, so the row changes before the refetch does.
function accept(client: QueryClient, incident: IncidentJson, done: string): void {
  announce(`${done} ${shortId(incident.id ?? '')}`);
  if (!incident.id || !incident.title) return;
  const renewed = (old: IncidentJson) => (old.id === incident.id ? incident : old);
  client.setQueriesData<InfiniteData<ListIncidentsResponseJson>>(
    { queryKey: incidentKeys.list },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({ ...page, incidents: page.incidents?.map(renewed) })),
      },
  );
  client.setQueryData<IncidentJson>(incidentKeys.one(incident.id), (old) => ({
    ...incident,
    escalation: incident.escalation ?? old?.escalation,
  }));
}
