import type { WebhookDeliveryJson, WebhookSubscriptionJson } from '@nightbell/proto';
import type { WebhookChange } from '~/data/webhooks';
import type { FieldWords } from '~/lib/edits';

/** What can be told of, as the server names it, in groups and words for people. */
export const eventGroups: readonly {
  name: string;
  events: readonly (readonly [type: string, words: string])[];
}[] = [
  {
    name: 'Incidents',
    events: [
      ['incident.triggered', 'Triggered'],
      ['incident.acknowledged', 'Acknowledged'],
      ['incident.unacknowledged', 'Acknowledgement ran out'],
      ['incident.escalated', 'Escalated'],
      ['incident.assigned', 'Assigned'],
      ['incident.severity_changed', 'Severity changed'],
      ['incident.commented', 'Commented'],
      ['incident.merged', 'Another was merged into it'],
      ['incident.resolved', 'Resolved'],
    ],
  },
  {
    name: 'Pages',
    events: [
      ['page.sent', 'Sent'],
      ['page.failed', 'Failed'],
    ],
  },
  {
    name: 'Other',
    events: [
      ['oncall.changed', 'Who is on call changed'],
      ['service.health_changed', 'The health of a service changed'],
      ['change.created', 'Something was deployed or changed'],
      ['heartbeat.missed', 'A heartbeat was missed'],
      ['heartbeat.recovered', 'A heartbeat is back'],
    ],
  },
];

/** What a new webhook is told of unless the reader chooses otherwise. */
export const usualEvents = ['incident.triggered', 'incident.acknowledged', 'incident.resolved'];

/** The severities, the worst first. */
export const severities = ['critical', 'high', 'medium', 'low'];

/** A webhook as it is edited. Lists of nothing let everything through. */
export interface WebhookDraft {
  name: string;
  url: string;
  events: readonly string[];
  serviceIds: readonly string[];
  teamIds: readonly string[];
  severities: readonly string[];
}

/** A webhook for editing; a new one without any. */
export function draftOf(webhook: WebhookSubscriptionJson = {}): WebhookDraft {
  return {
    name: webhook.name ?? '',
    url: webhook.url ?? '',
    events: webhook.event_types ?? usualEvents,
    serviceIds: webhook.filter?.service_ids ?? [],
    teamIds: webhook.filter?.team_ids ?? [],
    severities: webhook.filter?.severities ?? [],
  };
}

/** What the server is sent for a draft. */
export function toRequest(draft: WebhookDraft) {
  const { serviceIds, teamIds } = draft;
  const filtered = serviceIds.length + teamIds.length + draft.severities.length > 0;
  return {
    name: draft.name.trim(),
    url: draft.url.trim(),
    event_types: [...draft.events],
    filter: filtered
      ? { service_ids: [...serviceIds], team_ids: [...teamIds], severities: [...draft.severities] }
      : null,
  };
}

/** What of a webhook was changed since it was read. */
export function toChange(base: WebhookDraft, draft: WebhookDraft): WebhookChange {
  const [before, now] = [toRequest(base), toRequest(draft)];
  const fields = Object.keys(now) as (keyof typeof now)[];
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]));
  return Object.fromEntries(changed.map((field) => [field, now[field]]));
}

/** Its fields in words, for two people who edit it at once. */
export const webhookWords: readonly FieldWords<WebhookDraft>[] = [
  { label: 'Name', stored: ({ name }) => name, words: ({ name }) => name },
  { label: 'Address', stored: ({ url }) => url, words: ({ url }) => url },
  { label: 'Events', stored: ({ events }) => events, words: ({ events }) => events.join(', ') },
  {
    label: 'Only for',
    stored: ({ serviceIds, teamIds, severities: of }) => [serviceIds, teamIds, of],
    words: (draft) => filterWords(draft),
  },
];

/** What a filter lets through: "2 services, critical and high". */
export function filterWords({ serviceIds, teamIds, severities: of }: WebhookDraft): string {
  const parts = [count(serviceIds.length, 'service'), count(teamIds.length, 'team'), of.join(' or ')].filter(
    Boolean,
  );
  return parts.join(', ') || 'everything';
}

/** "1 event", "4 events"; nothing for none. */
export function count(number: number, noun: string): string {
  if (number === 0) return '';
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

/** How a webhook stands, in a word, and whether that is as it should be. */
export function stateOf(webhook: WebhookSubscriptionJson): { word: string; tone?: 'ok' | 'critical' } {
  if (!webhook.enabled) {
    return webhook.disabled_reason ? { word: 'Disabled', tone: 'critical' } : { word: 'Paused' };
  }
  return webhook.failing_since_at ? { word: 'Failing', tone: 'critical' } : { word: 'Enabled', tone: 'ok' };
}

/** How a delivery ended, or stands, in words. */
export function outcomeOf({ status, attempt_count: tries = 0 }: WebhookDeliveryJson): {
  word: string;
  tone?: 'ok' | 'critical';
} {
  if (status === 'delivered') return { word: 'Delivered', tone: 'ok' };
  if (status === 'failed') return { word: 'Given up', tone: 'critical' };
  return { word: tries === 0 ? 'Sending' : 'Trying again' };
}
