import { initials } from '~/components/ui/avatar';
import { type Day, dayOf, daysBetween, offsetAt } from '~/lib/time/zone';
import { lengthWords } from '~/lib/time/zone-words';
import type { Range } from './range';
import { isGap, type Override, type Person, type Shift, type Timeline } from './schedule';
import { reasonWords } from './words';

/** A block on a lane. Its shift is whole even where the lane cuts it. */
export interface Block {
  key: string;
  shift: Shift;
  /** Where it is drawn, in instants. */
  from: number;
  to: number;
  /** The override that made it, when there is one. */
  override: Override | null;
}

/** One row of the picture: the final schedule, a layer, the overrides, or a day on a phone. */
export interface Lane {
  key: string;
  look: 'final' | 'layer' | 'override';
  name: string;
  note: string;
  from: number;
  to: number;
  blocks: readonly Block[];
}

/** A change of the clocks on the picture. */
export interface Jump {
  at: number;
  /** "02:00 becomes 03:00". */
  message: string;
  /** How far the clocks go, in milliseconds; negative is back. */
  by: number;
  day: Day;
}

/** How far an instant is into a range, in percent. */
export function percent(at: number, range: Range): number {
  return ((at - range.from) / (range.to - range.from)) * 100;
}

/** The part of [from, to) that lies in the range; null when none does. */
export function clip(from: number, to: number, range: Range): Range | null {
  const cut = { from: Math.max(from, range.from), to: Math.min(to, range.to) };
  return cut.from < cut.to ? cut : null;
}

/** The lanes of a wide picture: final schedule, layers with the winning one on top, overrides. */
export function wideLanes(timeline: Timeline, range: Range, noteOf: (rotationId: string) => string): Lane[] {
  const finals: Lane = {
    ...finalLane(timeline, range),
    key: 'final',
    name: 'Final schedule',
    note: 'gets the page',
  };
  const layers = timeline.layers.map(
    (layer, i): Lane => ({
      key: layer.id || `new-${i}`,
      look: 'layer',
      name: layer.name,
      note: noteOf(layer.id),
      ...range,
      blocks: blocksOf(layer.shifts, range, `layer-${i}`),
    }),
  );
  const overrides = timeline.overrides.filter((one) => clip(one.from, one.to, range));
  const lanes = [finals, ...layers];
  if (overrides.length > 0) lanes.push(overrideLane(overrides, range));
  return lanes;
}

/** The lanes of a narrow picture: one day each, drawn from midnight to midnight. */
export function dayLanes(timeline: Timeline, range: Range): Lane[] {
  return daysBetween(range.from, range.to, timeline.zone).map((day) => ({
    ...finalLane(timeline, day),
    key: `day-${day.from}`,
    name: '',
    note: '',
  }));
}

/** The changes of the clocks within a range. */
export function jumpsOf(timeline: Timeline, range: Range): Jump[] {
  const { zone, clockChanges } = timeline;
  return clockChanges
    .filter((change) => change.at >= range.from && change.at < range.to)
    .map((change) => ({
      ...change,
      by: offsetAt(change.at, zone) - offsetAt(change.at - 1, zone),
      day: dayOf(change.at, zone),
    }));
}

/** The gaps of the final schedule, on purpose or not, that lie in the range and are not over, soonest first. */
export function gapsOf(timeline: Timeline, range: Range, now: number): Shift[] {
  return timeline.final.filter(
    (shift) => isGap(shift) && shift.to > now && clip(shift.from, shift.to, range),
  );
}

/** What a block says at full width, and when it is narrow. */
export function blockWords(
  block: Block,
  shortNames: ReadonlyMap<string, string>,
): [long: string, short: string] {
  const { people } = block.shift;
  if (people.length === 0) {
    if (block.shift.because === 'inactive') return ['Off', 'Off'];
    const length = block.shift.to - block.shift.from;
    return Number.isFinite(length) ? [lengthWords(length), lengthWords(length)] : ['Nobody', ''];
  }
  const names = people.map((person) => shortNames.get(person.id) ?? person.name);
  const short = people.map((person) => initials(person.name)).join(' ');
  return [names.join(', '), short];
}

/** Everybody's name, or that there is nobody. */
export function whoWords({ shift }: Block): string {
  if (shift.people.length > 0) return shift.people.map((person) => person.name).join(', ');
  return shift.because === 'inactive' ? 'Inactive' : 'Nobody on call';
}

/** Why, with the override's own words when there is one. */
export function whyWords({ shift, override }: Block): string {
  if (!override) return reasonWords(shift);
  const instead =
    override.kind === 'cover' && override.replaces ? ` instead of ${override.replaces.name}` : '';
  const by = override.by ? ` by ${override.by.name}` : '';
  const why = override.reason ? `: ${override.reason}` : '.';
  return `Override${instead}${by}${why}`;
}

/** First names, with the last name's letter where two people share one. */
export function shortNamesOf(people: readonly Person[]): Map<string, string> {
  const byId = new Map(people.map((person) => [person.id, person]));
  const first = (person: Person) => person.name.trim().split(/\s+/)[0] ?? '';
  const uses = new Map<string, number>();
  for (const person of byId.values()) uses.set(first(person), (uses.get(first(person)) ?? 0) + 1);
  const pairs = [...byId.values()].map((person): [string, string] => {
    const last = person.name.trim().split(/\s+/).at(-1)?.charAt(0) ?? '';
    const shared = (uses.get(first(person)) ?? 0) > 1;
    return [person.id, shared ? `${first(person)} ${last}.` : first(person)];
  });
  return new Map(pairs);
}

/** Everybody who is on the timeline, in any lane. */
export function peopleOf(timeline: Timeline): Person[] {
  const shifts = [...timeline.final, ...timeline.layers.flatMap((layer) => layer.shifts)];
  return shifts.flatMap((shift) => shift.people);
}

/** The lane and place that an arrow key leads to from a block; null when there is none or the key is another. */
export function blockAfter(
  lanes: readonly Lane[],
  at: { lane: number; place: number },
  key: string,
): { lane: number; place: number } | null {
  const lane = lanes[at.lane];
  const block = lane?.blocks[at.place];
  if (!lane || !block) return null;
  const along: Record<string, number> = {
    ArrowRight: at.place + 1,
    ArrowLeft: at.place - 1,
    Home: 0,
    End: lane.blocks.length - 1,
  };
  const place = along[key];
  if (place !== undefined)
    return lane.blocks[place] ? { lane: at.lane, place } : nextLane(lanes, at.lane, key);
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return null;
  for (let i = at.lane + step; lanes[i]; i += step) {
    const nearest = nearestPlace(lanes, i, progress(block, lane));
    if (nearest !== null) return { lane: i, place: nearest };
  }
  return null;
}

// Days follow each other: beyond the end of one begins the next.
function nextLane(lanes: readonly Lane[], lane: number, key: string): { lane: number; place: number } | null {
  const step = key === 'ArrowRight' ? 1 : -1;
  const [here, there] = [lanes[lane], lanes[lane + step]];
  if (!here || !there || here.from === there.from || there.blocks.length === 0) return null;
  return { lane: lane + step, place: step === 1 ? 0 : there.blocks.length - 1 };
}

function nearestPlace(lanes: readonly Lane[], index: number, aim: number): number | null {
  const lane = lanes[index];
  if (!lane || lane.blocks.length === 0) return null;
  const distances = lane.blocks.map((block) => Math.abs(progress(block, lane) - aim));
  return distances.indexOf(Math.min(...distances));
}

function progress(block: Block, lane: Lane): number {
  return ((block.from + block.to) / 2 - lane.from) / (lane.to - lane.from);
}

function finalLane(timeline: Timeline, range: Range): Pick<Lane, 'look' | 'from' | 'to' | 'blocks'> {
  const byId = new Map(timeline.overrides.map((one) => [one.id, one]));
  const blocks = blocksOf(timeline.final, range, 'final').map((block) =>
    block.shift.because === 'override'
      ? { ...block, override: byId.get(block.shift.becauseId) ?? null }
      : block,
  );
  return { look: 'final', from: range.from, to: range.to, blocks };
}

function overrideLane(overrides: readonly Override[], range: Range): Lane {
  const names = new Set(overrides.map(overrideWords));
  const blocks = overrides.flatMap((one): Block[] => {
    const cut = clip(one.from, one.to, range);
    return cut ? [{ key: `override-${one.id}`, shift: shiftOf(one), ...cut, override: one }] : [];
  });
  const note = names.size === 1 ? [...names].join('') : `${overrides.length} in this time`;
  return { key: 'overrides', look: 'override', name: 'Overrides', note, ...range, blocks };
}

/** Who for whom: "Priya for Jonas", "Priya", "Nobody". */
export function overrideWords({ kind, person, replaces }: Override): string {
  const first = (name: string) => name.split(' ')[0] ?? name;
  if (kind === 'vacant') return 'Nobody, on purpose';
  const who = first(person?.name ?? '');
  return kind === 'cover' && replaces ? `${who} for ${first(replaces.name)}` : `${who} for everybody`;
}

function shiftOf(override: Override): Shift {
  return {
    from: override.from,
    to: override.to,
    people: override.person && override.kind !== 'vacant' ? [override.person] : [],
    because: 'override',
    becauseId: override.id,
    becauseName: '',
  };
}

function blocksOf(shifts: readonly Shift[], range: Range, name: string): Block[] {
  return shifts.flatMap((shift): Block[] => {
    const cut = clip(shift.from, shift.to, range);
    return cut ? [{ key: `${name}-${shift.from}`, shift, ...cut, override: null }] : [];
  });
}
