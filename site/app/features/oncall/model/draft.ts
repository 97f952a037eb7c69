import type { CreateScheduleRequestJson, RotationJson } from '@nightbell/proto';
import { randomToken } from '~/lib/device';
import { changedFields } from '~/lib/edits';
import { listOnTop } from '~/lib/list-on-top';
import { toIso } from '~/lib/time/instant';
import type { Hours } from '~/lib/time/week';
import { fromField, toField } from '~/lib/time/zone';
import type { Person, Rotation, Schedule } from './schedule';

/** A schedule while it is being edited. Times are the texts of their fields, on the wall of its zone. */
export interface Draft {
  name: string;
  description: string;
  teamId: string;
  zone: string;
  policyId: string;
  active: boolean;
  layers: readonly LayerDraft[];
}

/** A rotation while it is being edited. */
export interface LayerDraft {
  /** Stays while the draft is open; not the rotation's id. */
  key: string;
  id: string;
  name: string;
  seats: readonly SeatDraft[];
  unit: Rotation['unit'];
  length: number;
  handover: string;
  weekday: string;
  startsAt: string;
  /** Empty: it never ends. */
  endsAt: string;
  windows: readonly Hours[];
  /** The instants behind times as they came, by zone and text, so that saving does not round them. */
  exact: Readonly<Record<string, number>>;
}

/** A turn while it is being edited. Without people it is vacant. */
export interface SeatDraft {
  key: string;
  people: readonly Person[];
}

/** A cadence with a name. */
export interface Cadence {
  value: string;
  word: string;
  unit: Rotation['unit'];
  length: number;
}

/** The cadences that most teams use. */
export const cadences: readonly Cadence[] = [
  { value: '12h', word: 'Every 12 hours', unit: 'hour', length: 12 },
  { value: '1d', word: 'Every day', unit: 'day', length: 1 },
  { value: '1w', word: 'Every week', unit: 'week', length: 1 },
  { value: '2w', word: 'Every 2 weeks', unit: 'week', length: 2 },
];

/** A key for a new part of a draft, which may be kept over a reload. */
export function newKey(): string {
  return randomToken();
}

/** A draft of a new schedule: one weekly layer that begins now, on Monday mornings from then on. */
export function newDraft(zone: string, now: number): Draft {
  return {
    name: '',
    description: '',
    teamId: '',
    zone,
    policyId: '',
    active: true,
    layers: [newLayer(1, zone, now)],
  };
}

/** A layer without people that begins now. */
export function newLayer(place: number, zone: string, now: number): LayerDraft {
  return {
    key: newKey(),
    id: '',
    name: `Layer ${place}`,
    seats: [],
    unit: 'week',
    length: 1,
    handover: '09:00',
    weekday: 'monday',
    startsAt: toField(now, zone),
    endsAt: '',
    windows: [],
    exact: {},
  };
}

/** The draft that changes a schedule. */
export function draftOf(schedule: Schedule): Draft {
  const { name, description, teamId, zone, policyId, active } = schedule;
  const layers = schedule.rotations.map((rotation) => layerOf(rotation, zone));
  return { name, description, teamId, zone, policyId, active, layers };
}

/** The request for a schedule. */
export function toScheduleRequest(draft: Draft): CreateScheduleRequestJson {
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    timezone: draft.zone,
    status: draft.active ? 'active' : 'inactive',
    team_id: draft.teamId,
    escalation_policy_id: draft.policyId,
    rotations: rotationsOf(draft),
  };
}

/** The rotations as the server takes them. Times that cannot be read are left out. */
export function rotationsOf(draft: Draft): RotationJson[] {
  return draft.layers.map((layer) => ({
    ...(layer.id ? { id: layer.id } : {}),
    name: layer.name.trim(),
    turns: layer.seats.map((seat) => ({ user_ids: seat.people.map((person) => person.id) })),
    unit: layer.unit,
    length: layer.length,
    handover: layer.handover,
    ...(layer.unit === 'week' ? { weekday: layer.weekday } : {}),
    ...timeOf('starts_at', layer.startsAt, draft.zone, layer.exact),
    ...timeOf('ends_at', layer.endsAt, draft.zone, layer.exact),
    windows: layer.windows.map((one) => ({ days: [...one.days], from: one.from, to: one.to })),
  }));
}

/** A draft as it would be stored, to tell whether two are the same. */
export function scheduleStored(draft: Draft) {
  return { ...draft, layers: rotationsOf(draft) };
}

/** The fields in which two drafts would be stored otherwise. */
export function changesOf(before: Draft, after: Draft): (keyof Draft)[] {
  return changedFields(scheduleStored(before), scheduleStored(after));
}

/** What somebody else stored, with the fields on top that `mine` changed since `base`. */
export function draftOnTop(base: Draft, mine: Draft, theirs: Draft): Draft {
  const own = changesOf(base, mine).map((field) => [field, mine[field]] as const);
  const stored = (layer: LayerDraft) => rotationsOf({ ...base, layers: [layer] });
  const layers = listOnTop(base.layers, mine.layers, theirs.layers, stored);
  return { ...theirs, ...Object.fromEntries(own), layers };
}

/** What has to be filled in before the schedule can be drawn, as a sentence; null when nothing has. */
export function missingIn(draft: Draft): string | null {
  for (const [i, layer] of draft.layers.entries()) {
    const name = layer.name.trim() || `Layer ${i + 1}`;
    if (layer.name.trim() === '') return `Give layer ${i + 1} a name.`;
    if (layer.seats.length === 0) return `Say who takes turns in ${name}.`;
    if (!fromField(layer.startsAt, draft.zone)) return `Say when ${name} starts.`;
    if (!/^\d\d:\d\d/.test(layer.handover)) return `Say at what time turns change in ${name}.`;
    if (!Number.isInteger(layer.length) || layer.length < 1 || layer.length > 720) {
      return `A turn of ${name} lasts 1 to 720 ${layer.unit}s.`;
    }
  }
  return null;
}

/** The list with one entry moved a place towards the front (-1) or the end (1); the same list at its end. */
export function moved<T>(list: readonly T[], at: number, step: 1 | -1): readonly T[] {
  const [entry, other] = [list[at], list[at + step]];
  if (entry === undefined || other === undefined) return list;
  return list.with(at, other).with(at + step, entry);
}

function layerOf(rotation: Rotation, zone: string): LayerDraft {
  const { id, name, unit, length, handover, weekday, windows } = rotation;
  const times = [rotation.startsAt, rotation.endsAt ?? rotation.startsAt];
  return {
    key: newKey(),
    id,
    name,
    seats: rotation.seats.map((people) => ({ key: newKey(), people })),
    unit,
    length,
    handover,
    weekday,
    startsAt: toField(rotation.startsAt, zone),
    endsAt: rotation.endsAt === null ? '' : toField(rotation.endsAt, zone),
    windows,
    exact: Object.fromEntries(times.map((at) => [`${zone} ${toField(at, zone)}`, at])),
  };
}

function timeOf(
  name: 'starts_at' | 'ends_at',
  text: string,
  zone: string,
  exact: Readonly<Record<string, number>>,
): Partial<RotationJson> {
  const at = exact[`${zone} ${text}`] ?? fromField(text, zone);
  return at === null ? {} : { [name]: toIso(at) };
}
