import type { FieldWords } from '~/lib/edits';
import { fromField, toField } from '~/lib/time/zone';
import { overrideWords } from './override-words';
import type { NewOverride, Override } from './schedule';

/** What is already known when an override is begun. Instants in milliseconds. */
export interface OverrideStart {
  kind?: Override['kind'];
  personId?: string;
  replacesId?: string;
  reason?: string;
  from?: number;
  to?: number;
}

/** An override while it is being written. Times are the texts of their fields, on the wall of its schedule's zone. */
export interface OverrideDraft {
  scheduleId: string;
  kind: Override['kind'];
  personId: string;
  replacesId: string;
  from: string;
  to: string;
  reason: string;
}

/** An override that is begun has its times. */
export type Begun = OverrideStart & { from: number; to: number };

/** The schedule of an override: its clock, and who is on call there. */
export interface Place {
  id: string;
  zone: string;
  onCallId: string;
}

const usual = 12 * 3_600_000;

/** What an override that is stored begins with when it is changed. */
export function startOf({ kind, person, replaces, from, to, reason }: Override): Begun {
  return { kind, personId: person?.id, replacesId: replaces?.id, from, to, reason };
}

/** What a new override begins with: twelve hours from now, unless more is known. */
export function begunAt(start: OverrideStart, now: number): Begun {
  const from = start.from ?? now;
  return { ...start, from, to: start.to ?? from + usual };
}

/** The fields that an override begins with: by `me` instead of who is on call. */
export function overrideDraft(start: Begun, schedule: Place, me: string): OverrideDraft {
  return {
    scheduleId: schedule.id,
    kind: start.kind ?? 'take_over',
    personId: start.personId ?? me,
    replacesId: start.replacesId ?? schedule.onCallId,
    from: toField(start.from, schedule.zone),
    to: toField(start.to, schedule.zone),
    reason: start.reason ?? '',
  };
}

/** The draft on another schedule. What was not touched begins again there: the same instants by its clock. */
export function onSchedule(draft: OverrideDraft, start: Begun, from: Place, to: Place): OverrideDraft {
  const [here, there] = [from, to].map((place) => overrideDraft(start, place, ''));
  const moved = (field: 'from' | 'to' | 'replacesId') =>
    there && draft[field] === here?.[field] ? there[field] : draft[field];
  return {
    ...draft,
    scheduleId: to.id,
    from: moved('from'),
    to: moved('to'),
    replacesId: moved('replacesId'),
  };
}

/**
 * The override that a draft says; null while it has no times. A time that was not touched is the exact one
 * it was begun with: the field has no seconds, and no word for the second time that a clock shows an hour.
 */
export function wantedOf(draft: OverrideDraft, zone: string, start: OverrideStart): NewOverride | null {
  const exact = (text: string, at: number | undefined) =>
    at !== undefined && toField(at, zone) === text ? at : fromField(text, zone);
  const [from, to] = [exact(draft.from, start.from), exact(draft.to, start.to)];
  if (from === null || to === null || from >= to) return null;
  return { ...draft, from, to };
}

/** The fields of a draft as people read them, people by their names. */
export function overrideDraftWords(
  zone: string,
  nameOf: (id: string) => string,
): FieldWords<OverrideDraft>[] {
  const told = ({ kind, personId, replacesId, from, to, reason }: OverrideDraft) => ({
    kind,
    person: kind === 'vacant' ? null : { id: personId, name: nameOf(personId) },
    replaces: kind === 'cover' ? { id: replacesId, name: nameOf(replacesId) } : null,
    from: fromField(from, zone) ?? 0,
    to: fromField(to, zone) ?? 0,
    reason,
  });
  return overrideWords(zone).map(({ label, stored, words }) => ({
    label,
    stored: (draft) => stored(told(draft)),
    words: (draft) => words(told(draft)),
  }));
}
