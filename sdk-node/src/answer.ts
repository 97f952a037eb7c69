import {
  ApiError,
  AuthError,
  ConnectionError,
  type FieldError,
  type NightbellError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
} from './errors.js';
import type { IncidentResult, Tree } from './event.js';

/** What a request carries. */
export type Kind = 'event' | 'batch' | 'change' | 'sample' | 'ping';

/** What came back: a status, or why there is none. */
export type Answer =
  | { status: number; headers: Record<string, string | string[] | undefined>; body: string }
  | { failure: 'network' | 'timeout'; cause?: unknown };

export type Outcome = 'delivered' | 'retry' | 'rejected' | 'split' | 'disabled';

/** The meaning of an answer. */
export interface Verdict {
  outcome: Outcome;
  error?: NightbellError;
  /** The key was refused: rest before sending more. */
  pause?: boolean;
  /** How long the server asks to wait, in ms; 0 if it does not. */
  wish: number;
  result?: IncidentResult;
  /** Of a batch, in the order sent. */
  items?: Verdict[];
}

/** What was sent, as far as its answer is concerned. */
export interface Sent {
  kind: Kind;
  ids: string[];
}

export function judge(sent: Sent, answer: Answer, now: number): Verdict {
  if ('failure' in answer) return { outcome: 'retry', wish: 0, error: unreachable(answer) };
  const header = (name: string): string => String(answer.headers[name] ?? '');
  const body = parsed(answer.body);
  const wish = wishOf(header, now);
  const disabled = answer.status === 410 || header('nightbell-disable') === '1';
  if (answer.status >= 200 && answer.status < 300 && !disabled)
    return success(sent, answer.status, body, wish);

  const error = refusal(answer.status, body, wish);
  const verdict: Verdict = { outcome: outcomeOf(answer.status, error.code), error, wish };
  if (error.kind === 'auth') verdict.pause = true;
  if (answer.status === 413 && sent.kind === 'batch' && sent.ids.length > 1) verdict.outcome = 'split';
  if (header('x-should-retry') === 'true') verdict.outcome = 'retry';
  if (header('x-should-retry') === 'false') verdict.outcome = 'rejected';
  if (disabled) verdict.outcome = 'disabled';
  return verdict;
}

/** A 2xx counts only if Nightbell wrote it: the page of a proxy is no delivery. */
function success(sent: Sent, status: number, body: Tree, wish: number): Verdict {
  const foreign: Verdict = {
    outcome: 'retry',
    wish,
    error: new ServerError('The answer is not from Nightbell. Is baseUrl right?', { status }),
  };
  if (sent.kind === 'event')
    return typeof body.status === 'string' ? { outcome: 'delivered', wish, result: resultOf(body) } : foreign;
  if (sent.kind !== 'batch') return { outcome: 'delivered', wish };
  return Array.isArray(body.results)
    ? { outcome: 'delivered', wish, items: itemsOf(sent, body.results) }
    : foreign;
}

/** The verdict on each event of a batch; what has no result is sent again. */
function itemsOf(sent: Sent, results: unknown[]): Verdict[] {
  const found = new Map<unknown, Tree>();
  for (const result of results) if (isTree(result)) found.set(result.event_id, result);
  return sent.ids.map((id) => {
    const result = found.get(id);
    if (!result)
      return { outcome: 'retry', wish: 0, error: new ServerError('The answer does not name this event.') };
    const error = isTree(result.error) ? result.error : undefined;
    if (!error) return { outcome: 'delivered', wish: 0, result: resultOf(result) };
    const about = { code: text(error.code), details: details(error.details) };
    const message = text(error.message) ?? 'The event was refused.';
    return error.retryable === true
      ? { outcome: 'retry', wish: 0, error: new ServerError(message, about) }
      : { outcome: 'rejected', wish: 0, error: new ValidationError(message, about) };
  });
}

const unreachable = ({ failure, cause }: { failure: string; cause?: unknown }): ConnectionError =>
  failure === 'timeout'
    ? new TimeoutError('The server did not answer in time.', { cause })
    : new ConnectionError(
        `The server could not be reached${cause instanceof Error ? `: ${cause.message}` : ''}.`,
        { cause },
      );

const again = [408, 425, 429, 500, 502, 503, 504];

const outcomeOf = (status: number, code: string | undefined): Outcome =>
  again.includes(status) || (status === 409 && code === 'idempotency_in_progress') ? 'retry' : 'rejected';

function refusal(status: number, body: Tree, wish: number): ApiError {
  const about = {
    status,
    code: text(body.code),
    requestId: text(body.request_id),
    details: details(body.details),
  };
  const message = text(body.message) ?? `The server answered ${status}.`;
  if (status === 401 || status === 403) return new AuthError(message, about);
  if ([400, 413, 415, 422].includes(status)) return new ValidationError(message, about);
  if (status === 429) return new RateLimitError(message, about, wish || undefined);
  if (status >= 500 || status === 408 || status === 425) return new ServerError(message, about);
  return new ApiError('api', message, about);
}

export function resultOf(body: Tree): IncidentResult {
  const result: IncidentResult = {
    id: text(body.id) ?? null,
    eventId: text(body.event_id) ?? null,
    status: text(body.status) ?? 'created',
    truncated: Array.isArray(body.truncated) ? body.truncated.map(String) : [],
    warnings: Array.isArray(body.warnings) ? body.warnings : [],
  };
  if (typeof body.incident_number === 'number') result.incidentNumber = body.incident_number;
  const url = text(body.url);
  if (url) result.url = url;
  const dedupKey = text(body.dedup_key);
  if (dedupKey) result.dedupKey = dedupKey;
  return result;
}

/** How long the server asks to wait; 0 without a wish that can be read. */
function wishOf(header: (name: string) => string, now: number): number {
  if (/^\d+$/.test(header('retry-after-ms'))) return Number(header('retry-after-ms'));
  const wish = header('retry-after');
  if (/^\d+$/.test(wish)) return 1000 * Number(wish);
  const at = /^[A-Z][a-z]{2}, /.test(wish) ? Date.parse(wish) : Number.NaN;
  return Number.isNaN(at) ? 0 : Math.max(at - now, 0);
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);
const details = (value: unknown): FieldError[] => (Array.isArray(value) ? (value as FieldError[]) : []);

function parsed(body: string): Tree {
  try {
    const value: unknown = JSON.parse(body);
    return isTree(value) ? value : {};
  } catch {
    return {};
  }
}
