import { hoursInWords } from './hours';
import { offsets, type Policy, type Quiet, type Step } from './policy';
import { lengthOf, listed } from './words';

/** What the policy does, in sentences that change as it is written. */
export function summaryOf(policy: Policy): string[] {
  const steps = policy.steps.map((step, i) => ({ step, after: offsets(policy.steps)[i] ?? 0 }));
  const known = steps.filter(({ step }) => step.targets.length > 0);
  if (known.length === 0) return ['Pages nobody yet. Add somebody to step 1.'];
  const chain = known.map(({ step, after }, i) => `${i === 0 ? '' : 'then '}${clause(step, after)}`);
  return [
    `Pages ${chain.join(', ')}.`,
    ending(policy),
    ...policy.quiet.map(quietSentence),
    ...timers(policy),
  ];
}

/** What makes a step an exception: "critical and high only, Mon to Fri 09:00 to 17:00"; empty for one that always applies. */
export function conditionOf(step: Pick<Step, 'severities' | 'hours'>): string {
  const parts = [];
  if (step.severities.length > 0) parts.push(`${listed(step.severities)} only`);
  if (step.hours.length > 0) parts.push(hoursInWords(step.hours));
  return parts.join(', ');
}

/** Whom the last resort pages: "the owners of the workspace", a target's name; empty for nobody. */
export function lastResortOf({ lastResort, lastResortTarget }: Policy): string {
  if (lastResort === 'nobody') return '';
  return (lastResort === 'target' && lastResortTarget?.name) || 'the owners of the workspace';
}

/** Whom a step pages: "Mara, 24/7 Support and #incidents", or "one of Mara and Jonas in turn". */
export function whoOf(step: Step): string {
  const names = step.targets.map((target) => target.name);
  return step.roundRobin && names.length > 0 ? `one of ${listed(names, 'or')} in turn` : listed(names);
}

function clause(step: Step, after: number): string {
  const condition = conditionOf(step);
  const when = after === 0 ? 'at once' : `after ${lengthOf(after)}`;
  return `${whoOf(step)} ${when}${condition ? ` (${condition})` : ''}`;
}

// Steps that do not apply take no time, so with conditions the end is a latest one.
function ending(policy: Policy): string {
  const round = offsets(policy.steps).at(-1) ?? 0;
  const total = lengthOf(round * (policy.repeats + 1));
  const limit = policy.steps.some((step) => conditionOf(step) !== '') ? 'after at most' : 'after';
  const last = lastResortOf(policy);
  const end =
    last === '' ? `gives up ${limit} ${total}.` : `the last resort is paged ${limit} ${total}: ${last}.`;
  if (policy.repeats === 0) return `If nobody answers, ${end}`;
  const times = policy.repeats === 1 ? 'once more' : `${policy.repeats} more times`;
  return `If nobody answers, all of that ${times}; ${end}`;
}

function quietSentence({ severities, hours }: Quiet): string {
  if (severities.length + hours.length === 0)
    return 'Pages nobody at all until severities or hours are chosen.';
  const whom = severities.length > 0 ? ` for ${listed(severities)} incidents` : '';
  return `Pages nobody${whom}${hours.length > 0 ? `, ${hoursInWords(hours)}` : ''}.`;
}

function timers(policy: Policy): string[] {
  const sentences = [];
  if (policy.ackTimeoutSeconds > 0)
    sentences.push(
      `Acknowledged but not resolved ${lengthOf(policy.ackTimeoutSeconds)} later, it pages again from step 1.`,
    );
  if (policy.autoResolveSeconds > 0)
    sentences.push(`Without news for ${lengthOf(policy.autoResolveSeconds)}, an incident is resolved.`);
  return sentences;
}
