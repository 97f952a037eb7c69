import type { ExplainMomentJson, ExplainPageJson, ExplainResponseJson } from '@nightbell/proto';
import { toIso } from '~/lib/time/instant';
import { lengthWords } from '~/lib/time/zone-words';

/** Who is paged when a schedule's person does not answer. */
export interface NextInLine {
  /** People, or the shared channels, of the step. */
  names: readonly string[];
  /** The first of them who is a person. */
  person: { id: string; name: string } | null;
  /** "after 5 min", counted from the schedule's person; "at once" where nobody comes before. */
  when: string;
  /** The place of the step, from 1; 0 for the last resort. */
  step: number;
}

/** What to ask: who would be paged for a critical incident of a policy that opens at an instant, null for now. */
export function nextQuestion(policyId: string, at: number | null) {
  return {
    escalation_policy_id: policyId,
    severity: 'critical',
    at: at === null ? '' : toIso(at),
  };
}

/**
 * Who follows on the moment that pages a schedule, of the server's answer to who would be paged;
 * null when nobody does. Of the repeats of a policy the first is asked.
 */
export function nextInLine(answer: ExplainResponseJson, scheduleId: string): NextInLine | null {
  const moments = (answer.moments ?? []).filter(({ round = 1 }) => round === 1);
  const own = moments.findIndex(({ pages = [] }) => pages.some(({ why }) => why?.target?.id === scheduleId));
  // Nobody is on call for it now: whoever is paged first is paged in its place.
  const from = own < 0 ? 0 : own + 1;
  const next = moments.slice(from).find(({ outcome, pages = [] }) => isPage(outcome) && pages.length > 0);
  if (!next) return null;
  const wait = (next.after_seconds ?? 0) - (moments[own]?.after_seconds ?? 0);
  const [person] = next.pages?.flatMap(({ user }) => (user?.id ? [user] : [])) ?? [];
  return {
    names: (next.pages ?? []).map(nameOf),
    person: person ? { id: person.id ?? '', name: person.name ?? '' } : null,
    when: wait > 0 ? `after ${lengthWords(wait * 1000)}` : 'at once',
    step: next.outcome === 'last_resort' ? 0 : (next.step ?? 0),
  };
}

function isPage(outcome: ExplainMomentJson['outcome']): boolean {
  return outcome === 'paged' || outcome === 'last_resort';
}

function nameOf({ user, contacts, why }: ExplainPageJson): string {
  return user?.name || contacts?.[0]?.name || why?.target?.name || 'a shared channel';
}
