import type { EscalationPolicyJson } from '@nightbell/proto';
import type { Schedule } from './schedule';
import { lengthWords } from './words';

/** Who is paged when a schedule's person does not answer. */
export interface NextInLine {
  /** People, schedules or channels of the step. */
  names: readonly string[];
  /** Who that is now: the person themselves, or who is on call for the schedule; null for a channel. */
  person: { id: string; name: string } | null;
  /** "5 min" */
  after: string;
  /** The place of the step, from 1. */
  step: number;
}

/** The step after the one that pages the schedule, in the schedule's own policy; null when there is none. */
export function nextInLine(
  schedule: Schedule,
  policies: readonly EscalationPolicyJson[],
  schedules: readonly Schedule[],
): NextInLine | null {
  const policy = policies.find((one) => one.id === schedule.policyId);
  const steps = policy?.steps ?? [];
  const own = steps.findIndex((step) => step.targets?.some((target) => target.id === schedule.id));
  const next = steps[own + 1];
  if (own < 0 || !next) return null;
  const targets = next.targets ?? [];
  const first = targets[0];
  return {
    names: targets.map((target) => target.name || target.kind || ''),
    person: personOf(first?.kind ?? '', { id: first?.id ?? '', name: first?.name ?? '' }, schedules),
    after: lengthWords((steps[own]?.delay_seconds ?? 0) * 1000),
    step: own + 2,
  };
}

function personOf(
  kind: string,
  target: { id: string; name: string },
  schedules: readonly Schedule[],
): NextInLine['person'] {
  if (kind === 'user') return target;
  if (kind !== 'schedule') return null;
  return schedules.find((one) => one.id === target.id)?.onCall?.current.people[0] ?? null;
}
