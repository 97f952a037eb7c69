import { AsyncLocalStorage } from 'node:async_hooks';
import type { Nightbell } from './client.js';
import { clientOf, isAnswer, requestContext } from './middleware.js';

interface Observer {
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

/** As much of an Observable of RxJS as is needed, so that nothing is imported. */
interface Source {
  subscribe(observer: Observer): unknown;
}

interface ExecutionContext {
  getType(): string;
  getClass(): { name: string };
  getHandler(): { name: string };
  switchToHttp(): {
    getRequest(): {
      method?: string;
      route?: { path?: unknown };
      headers?: Record<string, string | string[] | undefined>;
    };
  };
}

/**
 * An interceptor that gives each request a context of its own and captures errors, before filters
 * of your own answer them: `app.useGlobalInterceptors(nightbell())`.
 */
export const nightbell = (client?: Nightbell) => ({
  // biome-ignore lint/suspicious/noExplicitAny: the caller's RxJS has its own type of Observable
  intercept(context: ExecutionContext, next: { handle(): any }): any {
    const found = clientOf(client);
    if (!found) return next.handle();
    const about = contextOf(context);
    return found.withContext(about, () => {
      const inside = AsyncLocalStorage.snapshot(); // Nest runs the handler in the context of handle()
      const source: Source = next.handle();
      const Observable = source.constructor as new (subscribe: (observer: Observer) => unknown) => Source;
      return new Observable((observer) =>
        source.subscribe({
          next: (value) => observer.next(value),
          error: (error) => {
            if (!isAnswer(error)) inside(() => found.captureError(error, { handled: false }));
            observer.error(error);
          },
          complete: () => observer.complete(),
        }),
      );
    });
  },
});

function contextOf(context: ExecutionContext) {
  if (context.getType() !== 'http')
    return { operation: `${context.getClass().name}.${context.getHandler().name}` };
  const request = context.switchToHttp().getRequest();
  const route = request.route?.path;
  return requestContext(request.method, typeof route === 'string' ? route : undefined, request.headers);
}
