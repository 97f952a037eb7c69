import { invalid } from './errors.js';
import { snapshot } from './snapshot.js';

/** Fully down or data loss; a major function broken; partial; minor. */
export type Severity = 'critical' | 'high' | 'medium' | 'low';

/** A map of anything that JSON can say. */
export type Tree = Record<string, unknown>;

/** Shown on the incident's page. */
export interface Link {
  href: string;
  text?: string;
}

/** Who was affected. */
export interface User {
  id: string;
}

/** What `triggerIncident` reports. Only `title` is needed. */
export interface Incident {
  title: string;
  /** The server says medium without one. */
  severity?: Severity;
  description?: string;
  tags?: Record<string, string>;
  metadata?: Tree;
  links?: Link[];
  /** Names the problem: while an incident with it is open, a trigger joins it and pages nobody again. */
  dedupKey?: string;
  occurredAt?: Date;
  /** Checks everything and pages nobody. */
  test?: boolean;
}

/** What the server says about an event. */
export interface IncidentResult {
  /** The incident; null when there is none: status `ignored`, or `disabled` for a client without a key. */
  id: string | null;
  eventId: string | null;
  /** `created`, `deduplicated`, `acknowledged`, `resolved`, `ignored` or `disabled`. */
  status: string;
  incidentNumber?: number;
  url?: string;
  dedupKey?: string;
  truncated: string[];
  warnings: { field: string; message: string }[];
}

/** A deployment or another change. It never pages anybody. */
export interface Change {
  summary: string;
  /** `other` by default. */
  kind?: 'deployment' | 'configuration' | 'feature_flag' | 'other';
  version?: string;
  environment?: string;
  author?: string;
  links?: Link[];
  occurredAt?: Date;
  metadata?: Tree;
}

/** A line of a stack. */
export interface Frame {
  file?: string;
  function?: string;
  module?: string;
  line?: number;
  column?: number;
  in_app?: boolean;
  pre?: string[];
  code?: string;
  post?: string[];
}

/** One error of a chain. `frames[0]` is where it was raised. */
export interface Exception {
  type: string;
  message: string;
  frames?: Frame[];
}

/** Something that happened before an error. */
export interface Breadcrumb {
  message: string;
  category?: string;
  data?: Tree;
  /** RFC 3339; now by default. */
  at?: string;
}

/** What is sent, in the words of the wire. `beforeSend` may change it. */
export interface Event {
  action: 'trigger' | 'acknowledge' | 'resolve';
  id: string;
  dedup_key?: string;
  title?: string;
  severity?: Severity;
  description?: string;
  tags?: Record<string, string>;
  metadata?: Tree;
  links?: Link[];
  source?: string;
  environment?: string;
  release?: string;
  occurred_at?: string;
  test?: boolean;
  /** The error that was given first, its causes after it. */
  error?: { exceptions: Exception[]; fingerprint?: string; breadcrumbs?: Breadcrumb[] };
  user?: User;
  operation?: string;
  trace?: { trace_id: string; span_id?: string };
  /** How many occurrences this event stands for, from 2 on. */
  count?: number;
}

const severities: readonly unknown[] = ['critical', 'high', 'medium', 'low'];

/** What is dropped first when the queue is full weighs least. */
export const weightOf = (severity: Severity | undefined): number =>
  severity === 'critical' ? 4 : severity === 'high' ? 3 : severity === 'low' ? 1 : 2;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Removes fields that say nothing. */
export function compact<T extends object>(fields: T): T {
  for (const [key, value] of Object.entries(fields)) if (isEmpty(value)) delete fields[key as keyof T];
  return fields;
}

/** The event of an incident. It copies what the caller may change later. */
export function incidentEvent(incident: Incident, id: string): Event {
  const title = typeof incident?.title === 'string' ? incident.title.trim() : '';
  if (!title) throw invalid('title', 'required', 'Give the incident a title.');
  if (incident.severity && !severities.includes(incident.severity))
    throw invalid(
      'severity',
      'not_one_of',
      `severity is critical, high, medium or low, not "${incident.severity}".`,
    );
  return compact({
    action: 'trigger',
    id,
    title,
    severity: incident.severity,
    description: incident.description,
    tags: tagsOf(incident.tags),
    metadata: snapshot(incident.metadata) as Tree | undefined,
    links: linksOf(incident.links),
    dedup_key: incident.dedupKey,
    occurred_at: (incident.occurredAt ?? new Date()).toISOString(),
    test: incident.test,
  } as Event);
}

export function tagsOf(tags: Record<string, unknown> | undefined): Record<string, string> | undefined {
  if (!tags) return undefined;
  const copy: Record<string, string> = {};
  for (const [key, value] of Object.entries(tags))
    if (value !== undefined && value !== null) copy[key] = String(value);
  return copy;
}

export const linksOf = (links: Link[] | undefined): Link[] | undefined =>
  links?.map(({ href, text }) =>
    text ? { href: String(href), text: String(text) } : { href: String(href) },
  );

const kinds: readonly unknown[] = ['deployment', 'configuration', 'feature_flag', 'other'];

/** The body of a change. */
export function changeBody(change: Change, id: string, environment: string): Tree & { summary: string } {
  const summary = typeof change?.summary === 'string' ? change.summary.trim() : '';
  if (!summary) throw invalid('summary', 'required', 'Say what changed.');
  const kind = change.kind ?? 'other';
  if (!kinds.includes(kind))
    throw invalid(
      'kind',
      'not_one_of',
      `kind is deployment, configuration, feature_flag or other, not "${kind}".`,
    );
  return compact({
    id,
    summary,
    kind,
    version: change.version,
    environment: change.environment ?? environment,
    author: change.author,
    links: linksOf(change.links),
    occurred_at: (change.occurredAt ?? new Date()).toISOString(),
    metadata: snapshot(change.metadata),
  });
}

/** What a person reads first about an error. */
export function errorTitle(exceptions: Exception[]): string {
  const [first] = exceptions;
  if (!first) return 'Error';
  const line = first.message.trim().split('\n', 1)[0]?.trim() ?? '';
  if (!line) return first.type;
  return ['Error', 'error', 'Exception'].includes(first.type) ? line : `${first.type}: ${line}`;
}
