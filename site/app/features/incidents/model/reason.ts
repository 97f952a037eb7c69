import type { WhyJson } from '@nightbell/proto';
import { toDate } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';
import { capitalised } from '~/lib/words';

/** Why somebody is paged, as it was decided then. */
export interface Reason {
  sentence: string;
  /** Empty when the policy is not known any more. */
  policyId: string;
  policyName: string;
  /** The details behind the sentence, as name and value. */
  facts: readonly (readonly [name: string, value: string])[];
}

const targets: Record<string, string> = {
  user: 'Person',
  schedule: 'Schedule',
  team: 'Team',
  channel: 'Channel',
  owner: 'Owner of the workspace',
};

/** The reason of a page; null for pages that are older than the record. */
export function toReason(why: WhyJson | undefined): Reason | null {
  if (!why?.sentence) return null;
  const facts: [string, string][] = [
    ['Step', stepOf(why)],
    [targets[why.target_kind ?? ''] ?? 'Target', why.target?.name ?? ''],
    [why.because === 'override' ? 'Override' : 'Rotation', becauseOf(why)],
    ['Shift', shiftOf(why)],
    ['Severity then', capitalised(why.severity ?? '')],
    ['Decided', timeOf(why.decided_at)],
  ];
  return {
    sentence: why.sentence,
    policyId: why.escalation_policy?.id ?? '',
    policyName: why.escalation_policy?.name ?? '',
    facts: facts.filter(([, value]) => value !== ''),
  };
}

function stepOf({ step, round }: WhyJson): string {
  if (!step) return '';
  return (round ?? 1) > 1 ? `${step}, round ${round}` : String(step);
}

function becauseOf({ because, because_name: name }: WhyJson): string {
  return because ? name || capitalised(because) : '';
}

function shiftOf({ shift_starts_at: start, shift_ends_at: end }: WhyJson): string {
  const [from, to] = [timeOf(start), timeOf(end)];
  if (from === '') return '';
  return to === '' ? `Since ${from}` : `${from} to ${to}`;
}

function timeOf(text: string | undefined): string {
  const at = toDate(text);
  return at ? fullTime(at) : '';
}
