import type { Nightbell } from './client.js';
import { clientOf, isAnswer, requestContext } from './middleware.js';

interface Request {
  method?: string;
  baseUrl?: string;
  route?: { path?: unknown };
  headers?: Record<string, string | string[] | undefined>;
}

type Next = (error?: unknown) => void;

const contextOf = (req: Request) => {
  const path = req.route?.path;
  const route = typeof path === 'string' ? (req.baseUrl ?? '') + path : undefined;
  return requestContext(req.method, route, req.headers);
};

/**
 * Captures errors that reach Express, and passes them on unchanged. It goes after the routes and
 * before error handlers of your own: `app.use(nightbell())`.
 */
export const nightbell =
  (client?: Nightbell) =>
  (error: unknown, req: Request, _res: unknown, next: Next): void => {
    if (!isAnswer(error))
      clientOf(client)?.withContext(contextOf(req), () =>
        clientOf(client)?.captureError(error, { handled: false }),
      );
    next(error);
  };

/** Gives each request a context of its own, for setUser and breadcrumbs. It goes before the routes. */
export const nightbellContext =
  (client?: Nightbell) =>
  (req: Request, _res: unknown, next: Next): void => {
    const found = clientOf(client);
    if (found) found.withContext(contextOf(req), () => next());
    else next();
  };
