import type {
  CoverageProblemJson,
  CreateOverrideRequestJson,
  GetScheduleTimelineResponseJson,
  ListCoverageProblemsResponseJson,
  OnCallJson,
  OverrideJson,
  ReferenceJson,
  RotationJson,
  ScheduleJson,
  ShiftJson,
  TimelineJson,
  TimeWindowJson,
} from '@nightbell/proto';
import { each } from '~/lib/each';
import { toIso, toMs } from '~/lib/time/instant';
import type { Hours } from '~/lib/time/week';

/** Somebody, as far as a schedule knows them. */
export interface Person {
  id: string;
  name: string;
}

/** A time during which the same people are on for the same reason. Instants in milliseconds. */
export interface Shift {
  from: number;
  to: number;
  /** Nobody: a gap. */
  people: readonly Person[];
  because: 'rotation' | 'override' | 'nothing' | 'inactive';
  becauseId: string;
  becauseName: string;
}

/** Who is on call for a schedule now, and what follows. */
export interface OnCall {
  current: Shift;
  /** Null when nothing changes. */
  next: Shift | null;
}

/** People who are on together; nobody is a vacant seat. */
export type Seat = readonly Person[];

/** A layer of a schedule. */
export interface Rotation {
  id: string;
  name: string;
  seats: readonly Seat[];
  unit: 'hour' | 'day' | 'week';
  length: number;
  /** 08:00, on the wall of the schedule's zone. */
  handover: string;
  weekday: string;
  startsAt: number;
  /** Null: it never ends. */
  endsAt: number | null;
  windows: readonly Hours[];
}

/** Who is on call when: rotations laid over each other, overrides on top. */
export interface Schedule {
  id: string;
  name: string;
  description: string;
  teamId: string;
  team: string;
  zone: string;
  policyId: string;
  policy: string;
  active: boolean;
  rotations: readonly Rotation[];
  usedBy: readonly string[];
  onCall: OnCall | null;
  /** The version that it was read in. */
  etag?: string;
}

/** A change of a schedule for a while. */
export interface Override {
  id: string;
  scheduleId: string;
  scheduleName: string;
  kind: 'take_over' | 'cover' | 'vacant';
  person: Person | null;
  replaces: Person | null;
  from: number;
  to: number;
  reason: string;
  by: Person | null;
  /** The version that it was read in. */
  etag?: string;
}

/** An override to be made. Instants in milliseconds. */
export interface NewOverride {
  scheduleId: string;
  kind: Override['kind'];
  /** Who comes on; empty for vacant. */
  personId: string;
  /** Who is covered; empty unless the kind is cover. */
  replacesId: string;
  from: number;
  to: number;
  reason: string;
}

/** The request for an override. */
export function toOverrideRequest(wanted: NewOverride): CreateOverrideRequestJson {
  return {
    kind: wanted.kind,
    ...(wanted.personId && wanted.kind !== 'vacant' ? { user_id: wanted.personId } : {}),
    ...(wanted.kind === 'cover' ? { replaces_user_id: wanted.replacesId } : {}),
    starts_at: toIso(wanted.from),
    ends_at: toIso(wanted.to),
    reason: wanted.reason.trim(),
  };
}

/** A picture of a schedule over a range. */
export interface Timeline {
  from: number;
  to: number;
  zone: string;
  final: readonly Shift[];
  layers: readonly { id: string; name: string; shifts: readonly Shift[] }[];
  overrides: readonly Override[];
  clockChanges: readonly { at: number; message: string }[];
}

/** What is wrong with coverage in the time ahead. */
export interface Problem {
  kind: string;
  scheduleId: string;
  scheduleName: string;
  from: number;
  to: number;
  /** A sentence for people, with times of the schedule's zone. */
  message: string;
  /** A gap that comes back every week, as the times outside of a schedule's hours do. */
  weekly: boolean;
}

/** The schedules of an answer, each as it is of the contract. */
export const toSchedules = each(toSchedule);

/** A schedule of the contract. What is absent is empty. */
export function toSchedule(json: ScheduleJson): Schedule {
  return {
    id: json.id ?? '',
    name: json.name ?? '',
    description: json.description ?? '',
    teamId: json.team_id ?? '',
    team: json.team?.name ?? '',
    zone: json.timezone || 'UTC',
    policyId: json.escalation_policy_id ?? '',
    policy: json.escalation_policy?.name ?? '',
    active: json.status !== 'inactive',
    rotations: (json.rotations ?? []).map(toRotation),
    usedBy: (json.used_by ?? []).map(({ name = '' }) => name),
    onCall: toOnCall(json.on_call),
    etag: json.etag,
  };
}

/** The picture of an answer. */
export function toPicture({ timeline }: GetScheduleTimelineResponseJson): Timeline {
  return toTimeline(timeline ?? {});
}

/** A timeline of the contract. A shift that reaches its edge goes on beyond it, nobody knows how far. */
export function toTimeline(json: TimelineJson): Timeline {
  const [from, to] = [instant(json.from), instant(json.to)];
  const shifts = (list: readonly ShiftJson[] = []) =>
    list.map(toShift).map((shift) => ({
      ...shift,
      from: shift.from <= from ? Number.NEGATIVE_INFINITY : shift.from,
      to: shift.to >= to ? Number.POSITIVE_INFINITY : shift.to,
    }));
  return {
    from,
    to,
    zone: json.timezone || 'UTC',
    final: shifts(json.final),
    layers: (json.layers ?? []).map((layer) => ({
      id: layer.rotation_id ?? '',
      name: layer.name ?? '',
      shifts: shifts(layer.shifts),
    })),
    overrides: (json.overrides ?? []).map(toOverride),
    clockChanges: (json.clock_changes ?? []).map((change) => ({
      at: instant(change.at),
      message: change.message ?? '',
    })),
  };
}

/** An override of the contract. */
export function toOverride(json: OverrideJson): Override {
  return {
    id: json.id ?? '',
    scheduleId: json.schedule?.id ?? '',
    scheduleName: json.schedule?.name ?? '',
    kind: json.kind === 'cover' || json.kind === 'vacant' ? json.kind : 'take_over',
    person: json.user ? toPerson(json.user) : null,
    replaces: json.replaces_user ? toPerson(json.replaces_user) : null,
    from: instant(json.starts_at),
    to: instant(json.ends_at),
    reason: json.reason ?? '',
    by: json.created_by ? toPerson(json.created_by) : null,
    etag: json.etag,
  };
}

/** The overrides of an answer. */
export const toOverrides = each(toOverride);

/** What goes wrong in the next 30 days, gaps first. */
export interface Coverage {
  problems: readonly Problem[];
  /** There are more problems than the server gives at once. */
  truncated: boolean;
  /** A sentence when the server did not look at everything. */
  incomplete: string;
}

/** The coverage of an answer. */
export function toCoverage(answer: ListCoverageProblemsResponseJson): Coverage {
  return {
    problems: (answer.problems ?? []).map(toProblem),
    truncated: answer.truncated ?? false,
    incomplete: answer.incomplete ?? '',
  };
}

/** A problem of coverage of the contract. */
export function toProblem(json: CoverageProblemJson): Problem {
  return {
    kind: json.kind ?? '',
    scheduleId: json.schedule?.id ?? '',
    scheduleName: json.schedule?.name ?? '',
    from: instant(json.starts_at),
    to: instant(json.ends_at),
    message: json.message ?? '',
    weekly: json.weekly ?? false,
  };
}

/** A shift of the contract. One that has always been, or never ends, reaches to infinity. */
export function toShift(json: ShiftJson): Shift {
  return {
    from: json.starts_at ? instant(json.starts_at) : Number.NEGATIVE_INFINITY,
    to: json.ends_at ? instant(json.ends_at) : Number.POSITIVE_INFINITY,
    people: (json.users ?? []).map(toPerson),
    because: reason(json.because),
    becauseId: json.because_id ?? '',
    becauseName: json.because_name ?? '',
  };
}

/** True when the shift leaves nobody on call although the schedule is active. */
export function isGap(shift: Shift): boolean {
  return shift.people.length === 0 && shift.because !== 'inactive';
}

function toRotation(json: RotationJson): Rotation {
  return {
    id: json.id ?? '',
    name: json.name ?? '',
    seats: (json.turns ?? []).map((turn) => (turn.users ?? []).map(toPerson)),
    unit: json.unit === 'hour' || json.unit === 'week' ? json.unit : 'day',
    length: json.length ?? 1,
    handover: json.handover || '00:00',
    weekday: json.weekday || 'monday',
    startsAt: instant(json.starts_at),
    endsAt: json.ends_at ? instant(json.ends_at) : null,
    windows: (json.windows ?? []).map(toWindow),
  };
}

function toWindow(json: TimeWindowJson): Hours {
  return { days: json.days ?? [], from: json.from || '00:00', to: json.to || '00:00' };
}

function toOnCall(json: OnCallJson | undefined): OnCall | null {
  if (!json?.current) return null;
  return { current: toShift(json.current), next: json.next ? toShift(json.next) : null };
}

function toPerson(json: ReferenceJson): Person {
  return { id: json.id ?? '', name: json.name ?? '' };
}

function instant(text: string | undefined): number {
  return text ? toMs(text) : 0;
}

function reason(text: string | undefined): Shift['because'] {
  return text === 'rotation' || text === 'override' || text === 'inactive' ? text : 'nothing';
}
