import type { Options } from './config.js';
import { compact, type Event, type Exception, type Severity, type Tree, tagsOf, type User } from './event.js';
import { newId } from './id.js';
import type { Pipeline } from './pipeline.js';
import { applyContext, type Context, currentContext } from './scope.js';
import { snapshot } from './snapshot.js';

/** What a caller knows about an error. */
export interface CaptureContext {
  user?: User | undefined;
  operation?: string | undefined;
  tags?: Record<string, string> | undefined;
  metadata?: Tree | undefined;
  /** medium by default, high for an error that nobody handled. */
  severity?: Severity | undefined;
  /** Errors with the same key are one problem; the fingerprint by default. */
  dedupKey?: string | undefined;
  /** False says that nothing handled the error. */
  handled?: boolean | undefined;
}

const mostChain = 8;
const onceFor = 60_000;

/** When each error object was captured: a middleware and the end of the process may both see it. */
const captured = new WeakMap<object, number>();

/** Captures an error and returns the id of its event, or null if nothing is sent. */
export function captureError(
  pipeline: Pipeline,
  options: Options,
  error: unknown,
  about: CaptureContext,
  caller: (...args: never[]) => unknown,
): string | null {
  if (!pipeline.on || error === undefined || error === null) return null;
  const chain = chainOf(error);
  if (wasCaptured(chain) || isIgnored(options, error) || Math.random() >= pipeline.settings.sampleRate)
    return null;
  const stacks: (string | undefined)[] = chain.map(stackOf);
  if (!stacks.some((stack) => stack !== undefined)) stacks[0] = stackHere(caller);
  const context = currentContext();
  const exceptions = chain.map(exceptionOf);
  const merge = [
    ...exceptions.flatMap(({ type, message }) => [type, message]),
    ...stacks,
    (about.user ?? context.user)?.id,
    about.operation ?? context.operation,
    about.severity,
    about.handled,
    about.dedupKey,
  ].join('\n');
  const waiting = pipeline.queue.merge(merge);
  if (waiting) return waiting.id;
  const event = errorEvent(newId(), exceptions, about, context);
  pipeline.enqueueEvent(event, { stacks, merge });
  return event.id;
}

/** The event of exceptions, without what every event has. */
export function errorEvent(
  id: string,
  exceptions: Exception[],
  about: CaptureContext,
  context: Context,
): Event {
  const event = compact({
    action: 'trigger',
    id,
    severity: about.severity ?? (about.handled === false ? 'high' : 'medium'),
    tags: tagsOf(about.tags),
    metadata: snapshot(about.metadata) as Tree | undefined,
    user: about.user && { id: String(about.user.id) },
    operation: about.operation,
    dedup_key: about.dedupKey,
    occurred_at: new Date().toISOString(),
    error: { exceptions },
  } as Event);
  applyContext(event, context);
  return event;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The error, then its causes and the errors that it collects. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [error];
  for (let n = 0; n < chain.length && chain.length < mostChain; n++) {
    const link = chain[n];
    if (!isObject(link)) continue;
    const inner: unknown[] = [];
    if ('cause' in link && link.cause !== undefined && link.cause !== null) inner.push(link.cause);
    if ('errors' in link && Array.isArray(link.errors) && link instanceof Error) inner.push(...link.errors);
    for (const found of inner) if (!chain.includes(found) && chain.length < mostChain) chain.push(found);
  }
  return chain;
}

function exceptionOf(error: unknown): Exception {
  if (!isObject(error)) return { type: 'Error', message: String(error) };
  const { name, message } = error as { name?: unknown; message?: unknown };
  if (typeof message !== 'string') return { type: 'Error', message: JSON.stringify(snapshot(error)) ?? '' };
  const type = typeof name === 'string' && name && name !== 'Error' ? name : error.constructor?.name;
  return { type: type && type !== 'Object' ? type : 'Error', message };
}

function stackOf(error: unknown): string | undefined {
  const stack = isObject(error) && 'stack' in error ? error.stack : undefined;
  return typeof stack === 'string' && stack.includes('\n') ? stack : undefined;
}

function stackHere(caller: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, caller);
  return holder.stack;
}

/** Whether this error was captured in the last minute, itself or inside another; it is from now on. */
function wasCaptured(chain: unknown[]): boolean {
  const now = Date.now();
  const objects = chain.filter(isObject);
  const before = objects.some((link) => now - (captured.get(link) ?? Number.NEGATIVE_INFINITY) < onceFor);
  if (!before) for (const link of objects) captured.set(link, now);
  return before;
}

function isIgnored(options: Options, error: unknown): boolean {
  const message = isObject(error) && 'message' in error ? String(error.message) : String(error);
  return (options.ignoreErrors ?? []).some((rule) => {
    if (typeof rule === 'function') return rule(error);
    return typeof rule === 'string'
      ? message.includes(rule)
      : new RegExp(rule.source, rule.flags).test(message);
  });
}
