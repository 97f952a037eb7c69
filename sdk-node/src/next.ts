import { Nightbell } from './client.js';
import { getClient, setClient } from './default.js';
import { requestContext } from './middleware.js';

interface Request {
  path: string;
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

/** Makes the client from the environment. Next.js calls it at the start of each server. */
export function register(): void {
  if (process.env.NEXT_RUNTIME !== 'edge' && !getClient()) setClient(new Nightbell());
}

/** Captures errors of pages, routes and actions. Next.js calls it; redirects and notFound never get here. */
export async function onRequestError(
  error: unknown,
  request: Request,
  context: { routePath?: string; routeType?: string },
): Promise<void> {
  const client = getClient();
  if (!client) return;
  const about = requestContext(request.method, context.routePath, request.headers);
  const tags = { ...about.tags, ...(context.routeType && { 'next.route_type': context.routeType }) };
  client.withContext({ ...about, tags }, () => client.captureError(error, { handled: false }));
  await client.flush(); // a serverless function may be frozen after its answer
}
