import type { Nightbell } from './client.js';
import { clientOf, isAnswer, requestContext } from './middleware.js';

interface KoaContext {
  method: string;
  headers: Record<string, string | string[] | undefined>;
  /** Set by routers. */
  _matchedRoute?: unknown;
}

/**
 * Gives each request a context of its own, captures errors, and throws them on unchanged. It is
 * the first middleware: `app.use(nightbell())`.
 */
export const nightbell =
  (client?: Nightbell) =>
  (ctx: KoaContext, next: () => Promise<unknown>): Promise<unknown> => {
    const found = clientOf(client);
    if (!found) return next();
    return found.withContext(requestContext(ctx.method, undefined, ctx.headers), async () => {
      try {
        return await next();
      } catch (error) {
        const route = typeof ctx._matchedRoute === 'string' ? ctx._matchedRoute : undefined;
        const about = requestContext(ctx.method, route, undefined);
        if (!isAnswer(error))
          found.captureError(error, { handled: false, operation: about.operation, tags: about.tags });
        throw error;
      }
    });
  };
