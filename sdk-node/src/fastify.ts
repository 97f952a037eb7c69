import type { Nightbell } from './client.js';
import { clientOf, isAnswer, requestContext } from './middleware.js';

interface Request {
  method: string;
  headers: Record<string, string | string[] | undefined>;
  routeOptions?: { url?: string | undefined };
}

interface Instance {
  addHook(name: 'onRequest', hook: (request: Request, reply: unknown, done: () => void) => void): unknown;
  addHook(
    name: 'onError',
    hook: (request: Request, reply: unknown, error: Error, done: () => void) => void,
  ): unknown;
}

/**
 * Gives each request a context of its own and captures errors; the answers stay as they are:
 * `app.register(nightbell)`, or with `{ client }`.
 */
export function nightbell(instance: Instance, options: { client?: Nightbell }, done: () => void): void {
  instance.addHook('onRequest', (request, _reply, next) => {
    const found = clientOf(options.client);
    const context = requestContext(request.method, request.routeOptions?.url, request.headers);
    if (found) found.withContext(context, next);
    else next();
  });
  instance.addHook('onError', (_request, reply, error, next) => {
    const answered = isAnswer(error) || isAnswer({ status: (reply as { statusCode?: number }).statusCode });
    if (!answered) clientOf(options.client)?.captureError(error, { handled: false });
    next();
  });
  done();
}

// Its hooks are for the whole server, not for the plugin alone.
Object.assign(nightbell, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'nightbell',
});
