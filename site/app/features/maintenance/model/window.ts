import type { CreateMaintenanceWindowRequestJson, MaintenanceWindowJson } from '@nightbell/proto';
import type { FieldWords } from '~/lib/edits';
import { dateOf, toIso } from '~/lib/time/instant';
import { spanTime } from '~/lib/time/words';
import { fromField, toField } from '~/lib/time/zone';

/** Where a window stands. */
export type WindowState = 'under_way' | 'scheduled' | 'ended';

/** Planned work: incidents of the services open as ever and page nobody until it ends. */
export interface MaintenanceWindow {
  id: string;
  description: string;
  startsAt: Date;
  endsAt: Date;
  /** Their names, in the order of the ids. */
  services: readonly string[];
  serviceIds: readonly string[];
  state: WindowState;
  createdBy: string;
  /** How many open incidents wait for its end. */
  held: number;
  /** The version that it was read in. */
  etag?: string;
}

/** The lengths offered, in minutes; null is another one. */
export const lengths = [30, 60, 120, null] as const;
/** The longest window, in milliseconds. */
export const longest = 31 * 24 * 3600 * 1000;

/** The window of an answer. */
export function toWindow(json: MaintenanceWindowJson): MaintenanceWindow {
  return {
    id: json.id ?? '',
    description: json.description ?? '',
    startsAt: dateOf(json.starts_at),
    endsAt: dateOf(json.ends_at),
    services: (json.services ?? []).map(({ name = '' }) => name),
    serviceIds: json.service_ids ?? [],
    state: json.status === 'ended' || json.status === 'scheduled' ? json.status : 'under_way',
    createdBy: json.created_by?.name ?? '',
    held: json.held_incident_count ?? 0,
    etag: json.etag,
  };
}

/** What is under way or ahead, soonest first, then the newest that ended: an answer begins with what ends last. */
export function toWindows(answer: readonly MaintenanceWindowJson[]): MaintenanceWindow[] {
  const windows = answer.map(toWindow);
  const ended = windows.filter((window) => window.state === 'ended');
  const open = windows.filter((window) => window.state !== 'ended');
  return [...open.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime()), ...ended];
}

/** What somebody wants of a new window. Times are as the form's fields hold them, in the reader's zone. */
export interface Wish {
  description: string;
  serviceIds: readonly string[];
  /** Empty: now. */
  startsAt: string;
  /** Null: until endsAt. */
  minutes: number | null;
  endsAt: string;
}

/** The request for a wish, or the sentence that says what is missing. */
export function toRequest(wish: Wish, now: Date): CreateMaintenanceWindowRequestJson | string {
  if (wish.serviceIds.length === 0) return 'Choose at least one service.';
  const starts = wish.startsAt ? fromField(wish.startsAt) : now.getTime();
  if (starts === null) return 'Choose when it starts.';
  const ends = wish.minutes === null ? fromField(wish.endsAt) : starts + wish.minutes * 60_000;
  if (ends === null) return 'Choose when it ends.';
  if (ends <= starts || ends <= now.getTime()) return 'It has to end after it starts, and in the future.';
  if (ends - starts > longest) return 'It can last 31 days at most.';
  return {
    description: wish.description.trim(),
    ...(wish.startsAt ? { starts_at: toIso(starts) } : {}),
    ends_at: toIso(ends),
    service_ids: [...wish.serviceIds],
  };
}

/** A window while it is being changed. Times are as the form's fields hold them, in the reader's zone. */
export interface WindowDraft {
  description: string;
  serviceIds: readonly string[];
  starts: string;
  ends: string;
}

/** The fields of a window that is stored. */
export function draftOf({ description, serviceIds, startsAt, endsAt }: MaintenanceWindow): WindowDraft {
  return { description, serviceIds, starts: toField(startsAt), ends: toField(endsAt) };
}

/** The request for a changed window, or the sentence that says what is missing. Times that were not touched stay exact. */
export function toChange(
  draft: WindowDraft,
  base: MaintenanceWindow,
  now: Date,
): CreateMaintenanceWindowRequestJson | string {
  const before = draftOf(base);
  const wish = { ...draft, startsAt: draft.starts, endsAt: draft.ends, minutes: null };
  const request = toRequest(wish, now);
  if (typeof request === 'string') return request;
  return {
    ...request,
    starts_at: draft.starts === before.starts ? toIso(base.startsAt) : request.starts_at,
    ends_at: draft.ends === before.ends ? toIso(base.endsAt) : request.ends_at,
  };
}

/** The fields of a window as people read them, its services by their names. */
export function windowWords(services: readonly { id: string; word: string }[]): FieldWords<WindowDraft>[] {
  const nameOf = (id: string) => services.find((one) => one.id === id)?.word ?? 'another service';
  const plain = (label: string, field: (of: WindowDraft) => string): FieldWords<WindowDraft> => ({
    label,
    stored: field,
    words: (draft) => field(draft).replace('T', ' '),
  });
  return [
    {
      label: 'Services',
      stored: ({ serviceIds }) => serviceIds.toSorted(),
      words: ({ serviceIds }) => serviceIds.map(nameOf).join(', '),
    },
    plain('Start', ({ starts }) => starts),
    plain('End', ({ ends }) => ends),
    plain('Description', ({ description }) => description.trim()),
  ];
}

/** What ending a window now does to the incidents it holds. */
export function endingSentence(window: MaintenanceWindow): string {
  if (window.state === 'scheduled') return 'It is called off. Incidents page as usual.';
  if (window.held === 0) return 'It holds no incident. From now on incidents page as usual.';
  const [who, verb] =
    window.held === 1 ? ['1 open incident', 'is'] : [`${window.held} open incidents`, 'are'];
  return `${who} ${verb} held. The people on call for ${window.held === 1 ? 'it' : 'them'} are paged at once.`;
}

/** From when to when, on the reader's clock: "Sat 21 Nov, 12:40 to 14:40 CET"; the second day is named when it is another. */
export function spanInWords({ startsAt, endsAt }: MaintenanceWindow): string {
  return spanTime(startsAt, endsAt);
}
