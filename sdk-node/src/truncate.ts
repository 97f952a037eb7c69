import type { Event, Exception, Link, Tree } from './event.js';
import { sha256 } from './id.js';

const most = {
  title: 500,
  description: 20_000,
  name: 200, // source, release and operation, and the type of an exception
  environment: 64,
  message: 4000, // of an exception, and a string inside metadata
  crumb: 500,
  tags: 64,
  tagKey: 64,
  tagValue: 256,
  dedupKeyBytes: 512,
  exceptions: 8,
  frames: 50,
  breadcrumbs: 50,
  links: 10,
  href: 2000,
  levels: 6,
  entries: 64,
  metadataBytes: 16 << 10,
  eventBytes: 64 << 10,
};

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Makes text that JSON and PostgreSQL can keep. */
const wellFormed = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed();

/** Makes a value that JSON can say: no NaN, no integer that loses digits, no broken text. */
function clean(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return wellFormed(value);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
    case 'number':
      if (!Number.isFinite(value)) return null;
      return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value).toString() : value;
  }
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== 'object') return value;
  const copy: Tree = {};
  for (const [key, inner] of Object.entries(value)) copy[wellFormed(key)] = clean(inner);
  return copy;
}

/** Cuts to a number of characters, of which the ellipsis is one. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = Array.from(text.slice(0, 2 * length + 2));
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/**
 * Cuts a body to what a server takes: an alert is worth more than its ending. What lost
 * something is listed in `metadata._truncated`, where a person sees it.
 */
export function limit(given: Event): { event: Event; body: string } {
  const event = clean(given) as Event;
  const lost = new Set<string>();
  texts(event, lost);
  if (event.tags) event.tags = tags(event.tags, lost);
  if (event.metadata) event.metadata = metadata(event.metadata, lost, 'metadata');
  if (event.links) event.links = links(event.links, lost);
  errors(event, lost);
  return shrink(event, lost);
}

/** The same for a change. */
export function limitChange<T extends { summary: string }>(given: T): string {
  const change = clean(given) as T & { metadata?: Tree; links?: Link[] };
  const lost = new Set<string>();
  const summary = cut(change.summary, most.title);
  if (summary !== change.summary) lost.add('summary');
  change.summary = summary;
  if (change.links) change.links = links(change.links, lost);
  if (change.metadata) change.metadata = metadata(change.metadata, lost, 'metadata');
  mark(change, lost);
  return JSON.stringify(change);
}

function mark(body: { metadata?: Tree }, lost: Set<string>): void {
  if (lost.size > 0) body.metadata = { ...body.metadata, _truncated: [...lost].sort(byName) };
}

function shorter(text: string, length: number, field: string, lost: Set<string>): string {
  const kept = cut(text, length);
  if (kept !== text) lost.add(field);
  return kept;
}

function texts(event: Event, lost: Set<string>): void {
  for (const [field, length] of [
    ['title', most.title],
    ['description', most.description],
    ['source', most.name],
    ['release', most.name],
    ['operation', most.name],
    ['environment', most.environment],
  ] as const) {
    const text = event[field];
    if (text) event[field] = shorter(text, length, field, lost);
  }
  if (event.user) event.user = { ...event.user, id: shorter(event.user.id, most.name, 'user', lost) };
  // Two long keys may begin alike, so a cut one could join problems: a hash cannot.
  if (event.dedup_key && Buffer.byteLength(event.dedup_key) > most.dedupKeyBytes) {
    event.dedup_key = sha256(event.dedup_key).toString('hex');
    lost.add('dedup_key');
  }
}

function tags(given: Record<string, string>, lost: Set<string>): Record<string, string> {
  const kept: Record<string, string> = {};
  const names = Object.keys(given).sort(byName);
  if (names.length > most.tags) lost.add('tags');
  for (const name of names.slice(0, most.tags))
    kept[shorter(name, most.tagKey, 'tags', lost)] = shorter(given[name] ?? '', most.tagValue, 'tags', lost);
  return kept;
}

function links(given: Link[], lost: Set<string>): Link[] {
  const fitting = given.filter((link) => cut(link.href, most.href) === link.href);
  const kept = fitting.slice(0, most.links);
  if (kept.length < given.length) lost.add('links');
  for (const link of kept) if (link.text) link.text = shorter(link.text, most.name, 'links', lost);
  return kept;
}

/** Keeps the keys that fit, by name. */
function metadata(given: Tree, lost: Set<string>, field: string): Tree {
  const limited = value(given, most.levels, lost, field) as Tree;
  const kept: Tree = {};
  let size = 2;
  for (const key of Object.keys(limited).sort(byName)) {
    const entry = jsonBytes({ [key]: limited[key] }) - 1;
    if (size + entry > most.metadataBytes) {
      lost.add(field);
      continue;
    }
    size += entry;
    kept[key] = limited[key];
  }
  return kept;
}

function value(given: unknown, levels: number, lost: Set<string>, field: string): unknown {
  if (typeof given === 'string') return shorter(given, most.message, field, lost);
  if (given === null || typeof given !== 'object') return given;
  if (levels === 0) {
    lost.add(field);
    return '[too deep]';
  }
  if (Array.isArray(given)) {
    if (given.length > most.entries) lost.add(field);
    return given.slice(0, most.entries).map((inner) => value(inner, levels - 1, lost, field));
  }
  const names = Object.keys(given).sort(byName);
  if (names.length > most.entries) lost.add(field);
  const kept: Tree = {};
  for (const name of names.slice(0, most.entries))
    kept[name] = value((given as Tree)[name], levels - 1, lost, field);
  return kept;
}

function errors(event: Event, lost: Set<string>): void {
  const error = event.error;
  if (!error) return;
  if (error.exceptions.length > most.exceptions) {
    error.exceptions = error.exceptions.slice(0, most.exceptions);
    lost.add('error');
  }
  for (const exception of error.exceptions) {
    exception.type = shorter(exception.type, most.name, 'error', lost);
    exception.message = shorter(exception.message, most.message, 'error', lost);
    const frames = exception.frames;
    if (frames && frames.length > most.frames) {
      exception.frames = [...frames.slice(0, most.frames / 2), ...frames.slice(-most.frames / 2)];
      lost.add('error');
    }
  }
  if (!error.breadcrumbs) return;
  if (error.breadcrumbs.length > most.breadcrumbs) {
    error.breadcrumbs = error.breadcrumbs.slice(-most.breadcrumbs);
    lost.add('error');
  }
  for (const crumb of error.breadcrumbs) {
    crumb.message = shorter(crumb.message, most.crumb, 'error', lost);
    if (crumb.data) crumb.data = metadata(crumb.data, lost, 'error');
  }
}

/** Taken in turn while an event is too large: what is missed least goes first. */
const steps: [field: string, apply: (event: Event) => boolean][] = [
  ['error', (event) => eachException(event, withoutSource)],
  ['error', (event) => Boolean(event.error?.breadcrumbs?.length) && delete event.error?.breadcrumbs],
  ['error', (event) => eachException(event, withTenFrames)],
  [
    'metadata',
    (event) => Object.keys(event.metadata ?? {}).some((key) => key !== '_truncated') && delete event.metadata,
  ],
  [
    'description',
    (event) => {
      const before = event.description ?? '';
      if (before) event.description = cut(before, 2000);
      return event.description !== undefined && event.description !== before;
    },
  ],
  [
    'error',
    (event) => (event.error?.exceptions.length ?? 0) > 1 && Boolean(event.error?.exceptions.splice(1)),
  ],
  ['tags', (event) => event.tags !== undefined && delete event.tags],
  ['links', (event) => event.links !== undefined && delete event.links],
];

function shrink(event: Event, lost: Set<string>): { event: Event; body: string } {
  mark(event, lost);
  let body = JSON.stringify(event);
  for (const [field, apply] of steps) {
    if (Buffer.byteLength(body) <= most.eventBytes) break;
    if (!apply(event)) continue;
    lost.add(field);
    mark(event, lost);
    body = JSON.stringify(event);
  }
  return { event, body };
}

const eachException = (event: Event, apply: (exception: Exception) => boolean): boolean =>
  (event.error?.exceptions ?? []).map(apply).includes(true);

function withoutSource(exception: Exception): boolean {
  let lost = false;
  for (const frame of exception.frames ?? []) {
    lost ||= Boolean(frame.code || frame.pre?.length || frame.post?.length);
    delete frame.pre;
    delete frame.code;
    delete frame.post;
  }
  return lost;
}

function withTenFrames(exception: Exception): boolean {
  if ((exception.frames?.length ?? 0) <= 10) return false;
  exception.frames?.splice(10);
  return true;
}
