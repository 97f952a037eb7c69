import { emptyStep, limits, type Policy, type Step } from './policy';

/** What is wrong with a policy that is being written; the key is that of a step or a quiet rule, `name`, `lastResort`, `ackTimeout` or `autoResolve`. */
export type Faults = Readonly<Record<string, string>>;

/** The policy with one more step at the end. */
export function withStep(policy: Policy): Policy {
  return { ...policy, steps: [...policy.steps, emptyStep()] };
}

/** The policy with one step changed. */
export function withChanged(policy: Policy, key: string, fields: Partial<Step>): Policy {
  return { ...policy, steps: policy.steps.map((step) => (step.key === key ? { ...step, ...fields } : step)) };
}

/** The policy without a step. The last one stays, because a policy needs one. */
export function withoutStep(policy: Policy, key: string): Policy {
  if (policy.steps.length < 2) return policy;
  return { ...policy, steps: policy.steps.filter((step) => step.key !== key) };
}

/** The policy with a step moved one place up (-1) or down (1); unchanged at the ends. */
export function withMoved(policy: Policy, key: string, by: -1 | 1): Policy {
  const from = policy.steps.findIndex((step) => step.key === key);
  const to = from + by;
  const [moved, other] = [policy.steps[from], policy.steps[to]];
  if (!moved || !other) return policy;
  const steps = policy.steps.with(from, other).with(to, moved);
  return { ...policy, steps };
}

/** What keeps the policy from being saved; empty when nothing does. */
export function faultsOf(policy: Policy): Faults {
  const faults: Record<string, string> = {};
  if (policy.name.trim() === '') faults.name = 'Give the policy a name.';
  if (policy.ackTimeoutSeconds > 0 && outside(policy.ackTimeoutSeconds, limits.ackTimeout))
    faults.ackTimeout = 'Choose from one minute to seven days, or never.';
  if (policy.autoResolveSeconds > 0 && outside(policy.autoResolveSeconds, limits.autoResolve))
    faults.autoResolve = 'Choose from five minutes to thirty days, or never.';
  if (policy.lastResort === 'target' && !policy.lastResortTarget)
    faults.lastResort = 'Choose whom the last resort pages.';
  for (const { key, severities, hours } of policy.quiet) {
    if (severities.length === 0 && hours.length === 0)
      faults[key] = 'Choose severities or hours: without both, the policy would never page.';
  }
  for (const step of policy.steps) {
    const fault = faultOf(step);
    if (fault) faults[step.key] = fault;
  }
  return faults;
}

function faultOf(step: Step): string {
  if (step.targets.length === 0) return 'Choose whom this step pages.';
  if (step.targets.length > limits.targets) return `A step pages at most ${limits.targets} targets.`;
  return outside(step.delaySeconds, limits.delay) ? 'A step waits from 10 seconds to a day.' : '';
}

function outside(seconds: number, { least, most }: { least: number; most: number }): boolean {
  return seconds < least || seconds > most;
}
