import type { Nightbell } from './client.js';
import { getClient } from './default.js';
import type { Context } from './scope.js';

/** What a middleware takes: a client, or nothing for the one that `init` made. */
export const clientOf = (client: Nightbell | undefined): Nightbell | undefined => client ?? getClient();

type Headers = Record<string, string | string[] | undefined>;

/** What a request says about the work that goes on in it. */
export function requestContext(
  method: string | undefined,
  route: string | undefined,
  headers: Headers | undefined,
): Context {
  const context: Context = {
    tags: { ...(method && { 'http.method': method }), ...(route && { 'http.route': route }) },
  };
  if (method && route) context.operation = `${method} ${route}`;
  const [, trace_id, span_id] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(String(headers?.traceparent)) ?? [];
  if (trace_id && span_id) context.trace = { trace_id, span_id };
  return context;
}

/** An error that says it is the client's fault (404, 422) is an answer, no incident. */
export function isAnswer(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown };
  const code = Number(statusCode ?? status);
  return code >= 300 && code < 500;
}
