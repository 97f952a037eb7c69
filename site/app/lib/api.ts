import { acting, reading } from './give-way';
import { type RefreshAnswer, renew } from './renewal';
import { currentSession, type SessionUser } from './session';
import { endSession, sessionToCallWith } from './session-change';
import { learnServerTime } from './time/clock';
import { capitalised } from './words';

/** The sentence shown when the server could not be reached at all. */
export const networkMessage = 'Network error. Please check your connection and try again.';
/** The sentence when nothing answered for too long: what was asked may have been done. */
export const timeoutMessage = 'The server did not answer in time. Please try again.';
/** The sentence for a call made without a stored access token. */
export const missingTokenMessage = 'No authentication token found. Please log in again.';
/** The sentence for a session that could not be renewed. */
export const expiredMessage = 'Authentication expired. Please log in again.';
/** The sentence for a call that somebody began who is not signed in here any more. */
export const switchedMessage = 'Somebody else is signed in now. Nothing was sent.';

// Twice this is less than the 10 seconds for which a used refresh token still gives its successor.
const refreshPatience = 4500;

/** A call the server refused, or never answered (status 0). `message` can be shown to people as it is. */
export class ApiError extends Error {
  /** HTTP status, or 0 when there was no answer. */
  readonly status: number;
  /** The server's own sentence, when it sent one. */
  readonly detail: string;
  /** What is wrong with single fields, by their paths in the request: "must be a URL". */
  readonly fields: Readonly<Record<string, string>>;
  /** The server's word for the kind of refusal, when it sent one. */
  readonly code: string;

  constructor(
    message: string,
    status: number,
    detail = '',
    fields: Readonly<Record<string, string>> = {},
    code = '',
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.detail = detail;
    this.fields = fields;
    this.code = code;
  }
}

/** The server refused to renew the session, and it was ended. */
export class SessionExpired extends ApiError {
  constructor() {
    super(expiredMessage, 401);
  }
}

/** Why a call failed, in the server's words when it gave any, else in ours. */
export function reasonOf(error: Error): string {
  return (error instanceof ApiError && error.detail) || error.message;
}

/** What the server says is wrong with a field of what was sent, as a sentence. */
export function fieldReason(error: Error | null, field: string): string | undefined {
  const said = error instanceof ApiError ? error.fields[field] : undefined;
  return said && `${capitalised(said)}.`;
}

/** One call: what to ask and how its failures read. */
export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  /** Whether it changes nothing, as a GET does: then it gives way to what does. */
  reads?: boolean;
  /** Completes 'Failed to {action}', for example 'fetch incidents'. */
  action: string;
  /** Exact sentences for single statuses, in place of the general one. */
  messages?: Readonly<Record<number, string>>;
  /** Keeps the session when it cannot be renewed; the caller shows the failure instead. */
  keepSession?: boolean;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /**
   * Milliseconds until it counts as unanswered; 0 is never, for streams. By default see `patience`: a GET
   * has that for each try, and three times that in all. A GET with its own is never begun again for an act.
   */
  timeout?: number;
}

// A reading that takes long is said by the bar meanwhile; who acts waits for the answer.
const patience = { reading: 30_000, acting: 10_000 };

/**
 * Makes a call as the signed-in person and returns the answer's JSON.
 * A 401 is answered by one silent token refresh and one repeat; when the server refuses that too, the
 * session ends. Throws ApiError on every refusal and on a broken network, and passes on aborts.
 */
export async function call<T>(request: Call): Promise<T> {
  const response = await authorized(request).catch((cause: unknown) => {
    throw cause instanceof ApiError && cause.status === 0 ? unreached(request, cause.message) : cause;
  });
  if (response.ok) return wholeAnswer<T>(response, request);
  const body = await readJson(response);
  const said = failureMessage(request, response);
  throw new ApiError(said, response.status, messageOf(body), fieldsOf(body), wordOf(body, 'code'));
}

/**
 * The same authorization as `call`, for answers that are streams. The caller checks the status.
 * What one account began in one organization is never sent, or sent again, as another.
 */
export async function authorized(request: Call): Promise<Response> {
  const session = sessionToCallWith();
  if (!session) throw new ApiError(currentSession() ? switchedMessage : missingTokenMessage, 401);
  const response = await send(request, session.accessToken);
  if (response.status !== 401) return response;
  const renewal = await renew(session, askForTokens);
  switch (renewal.kind) {
    case 'renewed':
      return send(request, renewal.session.accessToken);
    case 'unclear':
      throw new ApiError(networkMessage, 0);
    case 'gone':
      throw new ApiError(currentSession() ? switchedMessage : missingTokenMessage, 401);
    case 'refused':
      if (request.keepSession) return response;
      endSession('expired', session);
      throw new SessionExpired();
  }
}

/** Makes a call that needs no session, such as sign-in, and returns the raw answer. Throws ApiError when nothing answers. */
export async function send(request: Call, token?: string): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...request.headers };
  if (request.body !== undefined) headers['Content-Type'] = 'application/json';
  if (token) headers.Authorization = `Bearer ${token}`;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const reads = request.reads ?? request.method === 'GET';
  const limit = request.timeout ?? (reads ? patience.reading : patience.acting);
  const within = (limit: number, signal?: AbortSignal) =>
    AbortSignal.any([signal ?? [], limit > 0 ? AbortSignal.timeout(limit) : []].flat());
  const ask = async (signal: AbortSignal) => {
    const response = await fetch(request.path, {
      method: request.method,
      headers,
      body,
      signal,
      cache: 'no-store',
    });
    learnServerTime(response.headers.get('Date'), Date.now());
    return response;
  };
  try {
    if (!reads) return await acting(() => ask(within(limit, request.signal)));
    if (request.timeout !== undefined) return await ask(within(limit, request.signal));
    // Each time that it is asked it has its time; what it had to wait for is not the server's fault.
    return await reading(
      async (signal) => whole(await ask(within(limit, signal))),
      within(3 * limit, request.signal),
    );
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new ApiError(unreachedMessage(cause), 0);
  }
}

// With its body: what is half read still has its connection.
async function whole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, response);
}

// An answer that breaks off, or is a page of a proxy, is none: read as empty it would say that
// there are no incidents.
async function wholeAnswer<T>(response: Response, request: Call): Promise<T> {
  try {
    const text = await response.text();
    return (text === '' ? {} : JSON.parse(text)) as T;
  } catch (cause) {
    throw request.signal?.aborted ? cause : unreached(request, unreachedMessage(cause));
  }
}

/** The answer's JSON, or an empty object when the body is empty or not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => '');
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

/** The `message` of an error body, or an empty string. */
export function messageOf(body: unknown): string {
  return wordOf(body, 'message');
}

function wordOf(body: unknown, name: 'message' | 'code'): string {
  if (typeof body !== 'object' || body === null) return '';
  const word = (body as Record<string, unknown>)[name];
  return typeof word === 'string' ? word : '';
}

// The `details` of an error body, by field.
function fieldsOf(body: unknown): Record<string, string> {
  const details = typeof body === 'object' && body && 'details' in body ? body.details : null;
  if (!Array.isArray(details)) return {};
  return Object.fromEntries(
    details.flatMap((one) => (one?.field && one.message ? [[String(one.field), String(one.message)]] : [])),
  );
}

// Which call it was matters more than that the network is down, so that comes first.
function unreached(request: Call, why: string): ApiError {
  return new ApiError(`Failed to ${request.action}`, 0, why);
}

function unreachedMessage(cause: unknown): string {
  return cause instanceof Object && 'name' in cause && cause.name === 'TimeoutError'
    ? timeoutMessage
    : networkMessage;
}

function failureMessage(request: Call, response: Response): string {
  const exact = request.messages?.[response.status];
  if (exact) return exact;
  const general = `Failed to ${request.action}`;
  return response.statusText ? `${general}: ${response.statusText}` : general;
}

// Only the server's own refusal counts as one: a proxy's page, a server that restarts or an answer
// that was lost must not sign anybody out.
async function askForTokens(refreshToken: string): Promise<RefreshAnswer> {
  const response = await send({
    method: 'POST',
    path: '/v1/auth/refresh',
    body: { refresh_token: refreshToken },
    action: 'refresh session',
    signal: AbortSignal.timeout(refreshPatience),
  }).catch(() => null);
  if (!response) return { kind: 'unclear' };
  const body = await readJson(response);
  const tokens = tokensOf(body);
  if (response.ok && tokens)
    return {
      kind: 'renewed',
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      user: userOf(body) ?? undefined,
    };
  return { kind: response.status === 401 && wordOf(body, 'code') ? 'refused' : 'unclear' };
}

/** The person of a sign-in, refresh or who-am-I answer, or null when it is not there. */
export function userOf(body: unknown): SessionUser | null {
  if (typeof body !== 'object' || body === null || !('user' in body)) return null;
  const user = body.user;
  if (typeof user !== 'object' || user === null || !('name' in user)) return null;
  return { ...user, name: String(user.name) };
}

/** The token pair of a sign-in or refresh answer, or null when it is not there. */
export function tokensOf(body: unknown): { access_token: string; refresh_token: string } | null {
  if (typeof body !== 'object' || body === null || !('tokens' in body)) return null;
  const tokens = body.tokens;
  if (typeof tokens !== 'object' || tokens === null) return null;
  const { access_token, refresh_token } = tokens as Record<string, unknown>;
  if (typeof access_token !== 'string' || typeof refresh_token !== 'string') return null;
  return { access_token, refresh_token };
}
