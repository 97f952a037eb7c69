import type {
  CreateEscalationPolicyRequestJson,
  EscalationPolicyJson,
  EscalationQuietJson,
  EscalationStepJson,
  EscalationTargetJson,
  TimeWindowJson,
} from '@nightbell/proto';
import { randomToken } from '~/lib/device';
import { type Hours, weekdays } from '~/lib/time/week';

/** What a step pages. */
export type TargetKind = 'user' | 'schedule' | 'team' | 'channel';

/** One target of a step. */
export interface Target {
  kind: TargetKind;
  id: string;
  name: string;
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

/** For which incidents, and when, a policy pages nobody. One of the two is needed. `key` is only for the screen. */
export interface Quiet {
  key: string;
  /** All when empty. */
  severities: readonly string[];
  /** Always when empty. */
  hours: readonly Hours[];
}

/** Who is paged once when nobody answered. */
export type LastResort = 'owners' | 'target' | 'nobody';

/** An escalation policy, stored or being written. */
export interface Policy {
  id: string;
  /** The version that it was read in. */
  etag: string;
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
  lastResort: LastResort;
  /** Who that is for `target`; null until somebody is chosen. */
  lastResortTarget: Target | null;
  quiet: readonly Quiet[];
}

/** The severities, worst first. */
export const severities = ['critical', 'high', 'medium', 'low'] as const;
const lastResorts = ['owners', 'target', 'nobody'] as const;
/** The limits of the contract. */
export const limits = {
  steps: 20,
  targets: 20,
  quiet: 20,
  repeats: 20,
  delay: { least: 10, most: 86_400 },
  ackTimeout: { least: 60, most: 604_800 },
  autoResolve: { least: 300, most: 2_592_000 },
};

/** The policy of an answer. */
export function toPolicy(json: EscalationPolicyJson): Policy {
  return {
    id: json.id ?? '',
    etag: json.etag ?? '',
    name: json.name ?? '',
    description: json.description ?? '',
    repeats: json.repeat_count ?? 0,
    ackTimeoutSeconds: json.ack_timeout_seconds ?? 0,
    autoResolveSeconds: json.auto_resolve_seconds ?? 0,
    timezone: json.timezone || 'UTC',
    isDefault: json.is_default ?? false,
    usedBy: (json.used_by ?? []).map(({ name = '' }) => name),
    steps: (json.steps ?? []).map(toStep),
    lastResort: lastResorts.find((one) => one === json.last_resort) ?? 'owners',
    lastResortTarget: json.last_resort_target ? toTarget(json.last_resort_target) : null,
    quiet: (json.quiet ?? []).map(toQuiet),
  };
}

/** The policies of an answer, by name. */
export function toPolicies(policies: readonly EscalationPolicyJson[]): Policy[] {
  return policies.map(toPolicy).toSorted((a, b) => a.name.localeCompare(b.name));
}

/** What the server is asked to store. */
export function toRequest(policy: Policy): CreateEscalationPolicyRequestJson {
  return {
    name: policy.name.trim(),
    description: policy.description.trim(),
    repeat_count: policy.repeats,
    ack_timeout_seconds: policy.ackTimeoutSeconds,
    auto_resolve_seconds: policy.autoResolveSeconds,
    timezone: policy.timezone,
    last_resort: policy.lastResort,
    last_resort_target:
      policy.lastResort === 'target' && policy.lastResortTarget
        ? fromTarget(policy.lastResortTarget)
        : undefined,
    quiet: policy.quiet.map(({ severities, hours }) => ({
      severities: [...severities],
      windows: hours.map(fromHours),
    })),
    steps: policy.steps.map((step) => ({
      id: step.id,
      delay_seconds: step.delaySeconds,
      targets: step.targets.map(fromTarget),
      assignment: step.roundRobin ? 'round_robin' : 'everyone',
      severities: [...step.severities],
      windows: step.hours.map(fromHours),
    })),
  };
}

/** Nobody is paged for low incidents, to begin with. */
export function emptyQuiet(): Quiet {
  return { key: randomToken(), severities: ['low'], hours: [] };
}

/** A policy to begin with: one empty step, in the reader's zone. */
export function emptyPolicy(timezone: string): Policy {
  return { ...toPolicy({}), repeats: 2, timezone, steps: [emptyStep()] };
}

/** A step that waits five minutes and pages nobody yet. */
export function emptyStep(): Step {
  return {
    key: randomToken(),
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
    key: randomToken(),
    id: json.id ?? '',
    delaySeconds: json.delay_seconds ?? 300,
    targets: (json.targets ?? []).map(toTarget),
    roundRobin: json.assignment === 'round_robin',
    severities: severities.filter((severity) => json.severities?.includes(severity)),
    hours: (json.windows ?? []).map(toHours),
  };
}

function toQuiet(json: EscalationQuietJson): Quiet {
  return {
    key: randomToken(),
    severities: severities.filter((severity) => json.severities?.includes(severity)),
    hours: (json.windows ?? []).map(toHours),
  };
}

function toTarget({ kind, id, name }: EscalationTargetJson): Target {
  return { kind: isKind(kind) ? kind : 'user', id: id ?? '', name: name || (kind ?? '') };
}

function fromTarget({ kind, id }: Target): EscalationTargetJson {
  return { kind, id };
}

function fromHours({ days, from, to }: Hours): TimeWindowJson {
  return { days: [...days], from, to };
}

function toHours(json: TimeWindowJson): Hours {
  return {
    days: weekdays.filter((day) => json.days?.includes(day)),
    from: json.from ?? '00:00',
    to: json.to ?? '00:00',
  };
}

function isKind(kind: string | undefined): kind is TargetKind {
  return kind === 'user' || kind === 'schedule' || kind === 'team' || kind === 'channel';
}
