import type { ExplainMomentJson, ExplainPageJson, ExplainResponseJson } from '@nightbell/proto';
import { channelOf } from '~/components/channel';
import type { IconName } from '~/components/ui/icon';
import { dateOf, toMs } from '~/lib/time/instant';
import { plainDuration } from '~/lib/time/words';

/** One way in which somebody would be told. */
export interface Contact {
  icon: IconName;
  name: string;
  hint: string;
  /** How long after the moment; empty when at once. */
  delay: string;
  /** Why it is not used; empty when it is. */
  skippedBecause: string;
}

/** Somebody who would be paged, and why. */
export interface Page {
  key: string;
  /** The person's or the shared channel's name. */
  who: string;
  personId: string;
  sentence: string;
  contacts: readonly Contact[];
}

/** One moment of a policy that nobody answers. */
export interface Moment {
  key: string;
  at: Date;
  /** "at once" or "after 5m". */
  when: string;
  outcome: 'paged' | 'skipped' | 'last_resort' | 'pages_nobody' | 'held' | 'exhausted';
  title: string;
  message: string;
  pages: readonly Page[];
}

/** The whole answer. */
export interface Answer {
  summary: string;
  policyId: string;
  policyName: string;
  at: Date;
  moments: readonly Moment[];
  heldUntil: Date | null;
  heldBecause: string;
}

const outcomes = ['paged', 'skipped', 'last_resort', 'pages_nobody', 'held', 'exhausted'] as const;

/** The answer as the page shows it. */
export function toAnswer(json: ExplainResponseJson): Answer {
  return {
    summary: json.summary ?? '',
    policyId: json.escalation_policy?.id ?? '',
    policyName: json.escalation_policy?.name ?? '',
    at: dateOf(json.at),
    moments: (json.moments ?? []).map(toMoment),
    heldUntil: json.hold_ends_at ? dateOf(json.hold_ends_at) : null,
    heldBecause: json.hold_reason ?? '',
  };
}

function toMoment(json: ExplainMomentJson, i: number): Moment {
  const at = dateOf(json.at);
  const after = json.after_seconds ?? 0;
  return {
    key: `${i}`,
    at,
    when: after === 0 ? 'at once' : `after ${plainDuration(after)}`,
    outcome: outcomeOf(json.outcome),
    title: titleOf(json),
    message: json.message ?? '',
    pages: (json.pages ?? []).map((page, n) => toPage(page, n, at)),
  };
}

function toPage(json: ExplainPageJson, i: number, at: Date): Page {
  const contacts = (json.contacts ?? []).map((contact) => ({
    icon: channelOf(contact.channel).icon,
    name: contact.name || (contact.channel ?? ''),
    hint: contact.hint ?? '',
    delay: delayOf(contact.at, at),
    skippedBecause: contact.skipped_because ?? '',
  }));
  return {
    key: `${json.user?.id ?? 'channel'}-${i}`,
    who: json.user?.name || contacts[0]?.name || json.why?.target?.name || 'Shared channel',
    personId: json.user?.id ?? '',
    sentence: json.why?.sentence ?? '',
    contacts,
  };
}

function titleOf({ outcome, step, round }: ExplainMomentJson): string {
  if (outcomeOf(outcome) === 'exhausted') return 'Gives up';
  if (outcome === 'pages_nobody') return 'Pages nobody';
  if (outcome === 'held') return 'Held';
  const again = (round ?? 1) > 1 ? `, round ${round}` : '';
  if (outcome === 'last_resort') return `Last resort${again}`;
  return `Step ${step ?? 1}${again}${outcome === 'skipped' ? ', skipped' : ''}`;
}

function outcomeOf(word: string | undefined): Moment['outcome'] {
  return outcomes.find((known) => known === word) ?? 'paged';
}

function delayOf(text: string | undefined, at: Date): string {
  const seconds = text ? (toMs(text) - at.getTime()) / 1000 : 0;
  return seconds >= 1 ? `after ${plainDuration(seconds)}` : '';
}
