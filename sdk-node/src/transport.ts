import type { ClientRequest, Agent as HttpAgent } from 'node:http';
import type { Answer, Kind } from './answer.js';
import { builtin } from './builtin.js';
import type { Settings } from './config.js';
import { agentOf, type Route, routeOf } from './route.js';

/** The version of this package, as servers see it. */
export const version = '0.1.0';

/** One request. `body` is JSON. */
export interface Request {
  kind: Kind;
  path: string;
  body: string;
  /** The id of the single event or change, sent as Idempotency-Key. */
  id?: string | undefined;
  attempt: number;
  timeout: number;
  /** Somebody awaits the result: the request may keep the process alive. */
  awaited: boolean;
  signal?: AbortSignal | undefined;
}

/** Sends requests. It never throws: a failure is an answer. */
export interface Transport {
  send(request: Request): Promise<Answer>;
  close(): void;
}

/** The headers of a request, without those of its encoding. */
export function headersOf(
  settings: Pick<Settings, 'apiKey' | 'serviceKey'>,
  request: Pick<Request, 'id' | 'attempt'>,
): Record<string, string> {
  const { apiKey, serviceKey } = settings;
  const headers: Record<string, string> = {
    authorization: `Bearer ${apiKey ?? serviceKey ?? ''}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'nightbell-sdk': `node/${version} (node ${process.versions.node}; ${process.platform})`,
    'nightbell-attempt': String(request.attempt),
    'nightbell-sent-at': new Date().toISOString(),
  };
  if (apiKey !== undefined && serviceKey !== undefined) headers['nightbell-service-key'] = serviceKey;
  if (request.id) headers['idempotency-key'] = request.id;
  return headers;
}

const gzipFrom = 1024;
const mostAnswer = 1 << 20;

/** Sends by HTTP/1.1 over at most two kept connections, which do not keep the process alive. */
export class HttpTransport implements Transport {
  private agent: HttpAgent | undefined;

  /** Throws a ConfigError for a file of certificates that cannot be used. */
  constructor(
    private readonly settings: Settings,
    private readonly route: Route = routeOf(settings, process.env),
  ) {}

  async send(request: Request): Promise<Answer> {
    const headers: Record<string, string | number> = headersOf(this.settings, request);
    let body: Buffer = Buffer.from(request.body);
    if (body.length >= gzipFrom) {
      body = await gzip(body, request.awaited);
      headers['content-encoding'] = 'gzip';
    }
    headers['content-length'] = body.length;
    return new Promise((resolve) => this.exchange(request, headers, body, resolve));
  }

  private exchange(
    request: Request,
    headers: Record<string, string | number>,
    body: Buffer,
    resolve: (answer: Answer) => void,
  ): void {
    let call: ClientRequest | undefined;
    const finish = (answer: Answer): void => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', aborted);
      resolve(answer);
      if ('failure' in answer) call?.destroy();
    };
    const aborted = (): void => finish({ failure: 'network', cause: request.signal?.reason });
    const timer = setTimeout(() => finish({ failure: 'timeout' }), request.timeout);
    if (!request.awaited) timer.unref();
    request.signal?.addEventListener('abort', aborted, { once: true });
    const failed = (cause: unknown): void => finish({ failure: 'network', cause });
    try {
      const url = new URL(this.settings.baseUrl + request.path);
      const http = this.route.secure ? builtin('https') : builtin('http');
      this.agent ??= agentOf(
        this.route,
        {
          keepAlive: true,
          maxSockets: 2,
          maxFreeSockets: 2,
          scheduling: 'lifo',
        },
        false,
      );
      call = http.request(url, { method: 'POST', headers, agent: this.agent }, (response) => {
        let size = 0;
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => {
          size += part.length;
          if (size > mostAnswer) failed(new Error('the answer is too long'));
          else parts.push(part);
        });
        response.on('error', failed);
        response.on('aborted', () => failed(new Error('the answer was cut off')));
        response.on('end', () =>
          finish({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString(),
          }),
        );
      });
      // A connection is shared by calls that somebody awaits and those that nobody does.
      call.on('socket', (socket) => (request.awaited ? socket.ref() : socket.unref()));
      call.on('error', failed);
      call.end(body);
    } catch (cause) {
      failed(cause);
    }
  }

  close(): void {
    this.agent?.destroy();
    this.agent = undefined;
  }
}

/** Compresses off the main thread; what nobody awaits must not keep the process alive for it. */
function gzip(body: Buffer, awaited: boolean): Promise<Buffer> {
  const zlib = builtin('zlib');
  if (!awaited) return Promise.resolve(zlib.gzipSync(body, { level: 1 }));
  return new Promise((resolve, reject) =>
    zlib.gzip(body, (error, packed) => (error ? reject(error) : resolve(packed))),
  );
}
