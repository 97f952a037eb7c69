import { AsyncLocalStorage } from 'node:async_hooks';
import { type Breadcrumb, type Event, tagsOf, type User } from './event.js';

/** What is known about the work that goes on, such as a request. */
export interface Context {
  user?: User | undefined;
  operation?: string | undefined;
  tags?: Record<string, string> | undefined;
  trace?: { trace_id: string; span_id?: string } | undefined;
  breadcrumbs?: Breadcrumb[] | undefined;
}

const mostBreadcrumbs = 50;

// One for the process, however often this package is loaded (ESM, CommonJS, two versions).
const key = Symbol.for('nightbell.scope.v1');
const shared = globalThis as { [key]?: { storage: AsyncLocalStorage<Context>; root: Context } };
shared[key] ??= { storage: new AsyncLocalStorage<Context>(), root: {} };
const { storage, root } = shared[key];

/** The context of the current work: of the innermost withContext, or of the process. */
export const currentContext = (): Context => storage.getStore() ?? root;

/** Runs `fn` with a context of its own: that of the work around it with `more` on top. */
export const withContext = <T>(more: Context, fn: () => T): T => {
  const outer = currentContext();
  const inner: Context = { ...outer };
  if (more.user) inner.user = { ...more.user };
  if (more.operation) inner.operation = more.operation;
  if (more.trace) inner.trace = more.trace;
  if (more.tags) inner.tags = { ...outer.tags, ...tagsOf(more.tags) };
  if (more.breadcrumbs) inner.breadcrumbs = [...(outer.breadcrumbs ?? []), ...more.breadcrumbs];
  return storage.run(inner, fn);
};

export const setUser = (user: User | undefined): void => {
  currentContext().user = user && { id: String(user.id) };
};

export const setOperation = (operation: string | undefined): void => {
  currentContext().operation = operation;
};

export const setTag = (name: string, value: string): void => {
  const context = currentContext();
  context.tags = { ...context.tags, [name]: String(value) };
};

export const addBreadcrumb = (crumb: Breadcrumb): void => {
  const context = currentContext();
  const kept = (context.breadcrumbs ?? []).slice(1 - mostBreadcrumbs);
  context.breadcrumbs = [...kept, { ...crumb, at: crumb.at ?? new Date().toISOString() }];
};

/** Adds what the context knows. What the event says itself wins. */
export function applyContext(event: Event, { user, operation, tags, trace, breadcrumbs }: Context): void {
  if (user) event.user ??= user;
  if (operation) event.operation ??= operation;
  if (tags && Object.keys(tags).length > 0) event.tags = { ...tags, ...event.tags };
  if (trace) event.trace ??= trace;
  if (event.error && breadcrumbs?.length)
    event.error.breadcrumbs ??= breadcrumbs.map((crumb) => ({ ...crumb }));
}
