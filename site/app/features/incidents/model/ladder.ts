import type { DeliveryAttemptJson, NotificationJson } from '@nightbell/proto';
import { channelOf } from '~/components/channel';
import type { IconName } from '~/components/ui/icon';
import { clock } from '~/lib/time/counter';
import { toDate } from '~/lib/time/instant';
import { offset } from '~/lib/time/words';
import { type Escalation, type Incident, type Person, toPerson } from './incident';
import { type Reason, toReason } from './reason';

/** How one try to reach somebody looks. */
export type TryLook = 'delivered' | 'missed' | 'ringing' | 'waiting' | 'unneeded';

/** One try to reach somebody, past or still to come. */
export interface Try {
  key: string;
  /** Distance from the start of the incident. */
  offset: string;
  look: TryLook;
  icon: IconName;
  channel: string;
  person: Person | null;
  /** The person's or the shared channel's name. */
  who: string;
  result: string;
  /** How long the try took; empty while it runs. */
  took: string;
  /** Why this person is paged, once for each reason of a step; null where it would be said again. */
  why: Reason | null;
}

/** The tries of one step of the policy. */
export interface Step {
  key: string;
  title: string;
  tries: readonly Try[];
}

/** The step that is paged next unless somebody answers. */
export interface NextStep {
  title: string;
  dueAt: Date;
  /** Empty when whoever is on call then is paged, and when nobody is. */
  targets: readonly string[];
  /** The last step was paged: nobody follows, and paging ends then. */
  ends: boolean;
}

/** Everything that was sent or will be, by step, in the order it happens. */
export function ladder(incident: Incident, notifications: readonly NotificationJson[]): Step[] {
  const start = incident.triggeredAt.getTime();
  const groups = new Map<string, NotificationJson[]>();
  for (const notification of notifications.toSorted(byDue)) {
    const step = isLastResort(notification) ? 'last' : (notification.step ?? 1);
    const key = `${notification.round ?? 1}.${step}`;
    groups.set(key, [...(groups.get(key) ?? []), notification]);
  }
  return [...groups].map(([key, group]) => ({
    key,
    title: stepTitle(group[0], start),
    tries: saidOnce(group.flatMap((notification) => triesOf(notification, incident))),
  }));
}

/** What happens next, or null when nothing more is due. */
export function nextStep(escalation: Escalation | null): NextStep | null {
  if (escalation?.status !== 'active' || !escalation.nextDueAt) return null;
  // Past the last step comes the next round, the last resort or the end.
  const past = escalation.step >= escalation.steps;
  const ends = past && escalation.nextTargets.length === 0;
  return {
    title: ends ? 'Paging ends' : past ? 'Next page' : `Step ${escalation.step + 1}`,
    dueAt: escalation.nextDueAt,
    targets: escalation.nextTargets,
    ends,
  };
}

// A person with three contact methods is paged three times for one reason.
function saidOnce(tries: readonly Try[]): Try[] {
  const said = new Set<string>();
  return tries.map((entry) => {
    const key = `${entry.who}/${entry.why?.sentence}`;
    if (!entry.why || said.has(key)) return { ...entry, why: null };
    said.add(key);
    return entry;
  });
}

function triesOf(notification: NotificationJson, incident: Incident): Try[] {
  const attempts = notification.attempts ?? [];
  if (attempts.length === 0) return [tryOf(notification, incident, null, true)];
  return attempts.map((attempt, i) => tryOf(notification, incident, attempt, i === attempts.length - 1));
}

function tryOf(
  notification: NotificationJson,
  incident: Incident,
  attempt: DeliveryAttemptJson | null,
  last: boolean,
): Try {
  const person = toPerson(notification.user);
  const channel = channelOf(notification.channel);
  const at = toDate(attempt?.started_at) ?? toDate(notification.due_at) ?? incident.triggeredAt;
  return {
    key: `${notification.id}/${attempt?.id ?? 'due'}`,
    offset: offset((at.getTime() - incident.triggeredAt.getTime()) / 1000),
    icon: channel.icon,
    channel: channel.word,
    person,
    who: person?.name ?? (notification.contact_name || channel.word),
    took: tookOf(attempt),
    why: toReason(notification.why),
    ...(last
      ? endOf(notification, attempt)
      : { look: 'missed' as const, result: attempt?.detail || 'Failed, tried again' }),
  };
}

function endOf(
  notification: NotificationJson,
  attempt: DeliveryAttemptJson | null,
): { look: TryLook; result: string } {
  const reason = notification.reason || attempt?.detail || '';
  switch (notification.status) {
    case 'sent':
      return {
        look: 'delivered',
        result:
          notification.contact_hint && notification.user ? `Sent to ${notification.contact_hint}` : 'Sent',
      };
    case 'failed':
      return { look: 'missed', result: reason || 'Failed' };
    case 'cancelled':
      return { look: 'unneeded', result: 'Not needed' };
    case 'sending':
      return notification.channel === 'voice'
        ? { look: 'ringing', result: 'Ringing' }
        : { look: 'waiting', result: 'Sending' };
    default:
      return attempt
        ? { look: 'missed', result: `${reason || 'Failed'}, trying again` }
        : { look: 'waiting', result: 'Waiting' };
  }
}

function tookOf(attempt: DeliveryAttemptJson | null): string {
  const started = toDate(attempt?.started_at);
  const finished = toDate(attempt?.finished_at);
  if (!started || !finished) return '';
  const seconds = (finished.getTime() - started.getTime()) / 1000;
  return seconds < 10 ? `${seconds.toFixed(2)}s` : `${Math.round(seconds)}s`;
}

function stepTitle(first: NotificationJson | undefined, start: number): string {
  const round = first?.round ?? 1;
  const after = ((toDate(first?.due_at)?.getTime() ?? start) - start) / 1000;
  const when = after < 5 ? 'at once' : `after ${clock(after)}`;
  const name = first && isLastResort(first) ? 'Last resort' : `Step ${first?.step ?? 1}`;
  return `${name}${round > 1 ? `, round ${round}` : ''}, ${when}`;
}

function isLastResort({ why }: NotificationJson): boolean {
  return why?.target_kind === 'owner';
}

function byDue(a: NotificationJson, b: NotificationJson): number {
  return (a.due_at ?? '').localeCompare(b.due_at ?? '');
}
