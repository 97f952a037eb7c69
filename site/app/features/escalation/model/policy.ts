import type {
  CreateEscalationPolicyRequestJson,
  EscalationPolicyJson,
  EscalationStepJson,
  TimeWindowJson,
} from '@nightbell/proto';

/** What a step pages. */
export type TargetKind = 'user' | 'schedule' | 'team' | 'channel';

/** One target of a step. */
export interface Target {
  kind: TargetKind;
  id: string;
  name: string;
}

/** A time of day on some days of the week, on the policy's clock. No days means every day; equal times, a whole day. */
export interface Hours {
  days: readonly string[];
  from: string;
  to: string;
}

/** One step: whom it pages, when it applies, and how long it waits. `key` is only for the screen. */
export interface Step {
  key: string;
  /** Sent back, so that incidents under way know the step again. Empty for a new one. */
  id: string;
  delaySeconds: number;
  targets: readonly Target[];
  roundRobin: boolean;
  /** All when empty. */
  severities: readonly string[];
  /** Always when empty. */
  hours: readonly Hours[];
}

/** An escalation policy, stored or being written. */
export interface Policy {
  id: string;
  name: string;
  description: string;
  repeats: number;
  /** Zero: never. */
  ackTimeoutSeconds: number;
  /** Zero: never. */
  autoResolveSeconds: number;
  timezone: string;
  isDefault: boolean;
  usedBy: readonly string[];
  steps: readonly Step[];
  /** Who is paged when nobody answered, and when nobody is paged: sent back as it came. */
  ending: Pick<EscalationPolicyJson, 'last_resort' | 'last_resort_target' | 'quiet'>;
}

/** The severities, worst first. */
export const severities = ['critical', 'high', 'medium', 'low'] as const;
/** The days as the contract names them, from Monday. */
export const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** The limits of the contract. */
export const limits = {
  steps: 20,
  targets: 20,
  hours: 20,
  repeats: 20,
  delay: { least: 10, most: 86_400 },
  ackTimeout: { least: 60, most: 604_800 },
  autoResolve: { least: 300, most: 2_592_000 },
};

/** The policy of an answer. */
export function toPolicy(json: EscalationPolicyJson): Policy {
  return {
    id: json.id ?? '',
    name: json.name ?? '',
    description: json.description ?? '',
    repeats: json.repeats ?? 0,
    ackTimeoutSeconds: json.ack_timeout_seconds ?? 0,
    autoResolveSeconds: json.auto_resolve_seconds ?? 0,
    timezone: json.timezone || 'UTC',
    isDefault: json.is_default ?? false,
    usedBy: json.used_by ?? [],
    steps: (json.steps ?? []).map(toStep),
    ending: { last_resort: json.last_resort, last_resort_target: json.last_resort_target, quiet: json.quiet },
  };
}

/** What the server is asked to store. */
export function toRequest(policy: Policy): CreateEscalationPolicyRequestJson {
  return {
    name: policy.name.trim(),
    description: policy.description.trim(),
    repeats: policy.repeats,
    ack_timeout_seconds: policy.ackTimeoutSeconds,
    auto_resolve_seconds: policy.autoResolveSeconds,
    timezone: policy.timezone,
    ...policy.ending,
    steps: policy.steps.map((step) => ({
      id: step.id,
      delay_seconds: step.delaySeconds,
      targets: step.targets.map(({ kind, id }) => ({ kind, id })),
      assignment: step.roundRobin ? 'round_robin' : 'everyone',
      severities: [...step.severities],
      windows: step.hours.map(({ days, from, to }) => ({ days: [...days], from, to })),
    })),
  };
}

/** A policy to begin with: one empty step, in the reader's zone. */
export function emptyPolicy(timezone: string): Policy {
  return { ...toPolicy({}), repeats: 2, timezone, steps: [emptyStep()] };
}

/** A step that waits five minutes and pages nobody yet. */
export function emptyStep(): Step {
  return {
    key: freshKey(),
    id: '',
    delaySeconds: 300,
    targets: [],
    roundRobin: false,
    severities: [],
    hours: [],
  };
}

/** When each step pages at the latest, in seconds from the start; the last figure is the end of a round. */
export function offsets(steps: readonly Step[]): number[] {
  const sums = [0];
  for (const step of steps) sums.push((sums.at(-1) ?? 0) + step.delaySeconds);
  return sums;
}

function toStep(json: EscalationStepJson): Step {
  return {
    key: freshKey(),
    id: json.id ?? '',
    delaySeconds: json.delay_seconds ?? 300,
    targets: (json.targets ?? []).map(({ kind, id, name }) => ({
      kind: isKind(kind) ? kind : 'user',
      id: id ?? '',
      name: name || (kind ?? ''),
    })),
    roundRobin: json.assignment === 'round_robin',
    severities: severities.filter((severity) => json.severities?.includes(severity)),
    hours: (json.windows ?? []).map(toHours),
  };
}

function toHours(json: TimeWindowJson): Hours {
  return {
    days: days.filter((day) => json.days?.includes(day)),
    from: json.from ?? '00:00',
    to: json.to ?? '00:00',
  };
}

function isKind(kind: string | undefined): kind is TargetKind {
  return kind === 'user' || kind === 'schedule' || kind === 'team' || kind === 'channel';
}

let keys = 0;

function freshKey(): string {
  keys += 1;
  return `step-${keys}`;
}
