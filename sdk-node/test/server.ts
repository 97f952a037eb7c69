import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Tree } from '../src/event.js';

/** How the server treats the next requests: an answer, no answer, or a lost one after it took the event. */
export type Fault = { status: number; headers?: Record<string, string> } | 'silent' | 'lost';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Tree;
}

/** Speaks the wire of the contract over HTTP, with faults: what a real Nightbell answers, kept in memory. */
export class FakeNightbell {
  readonly received: Received[] = [];
  /** Each event once, however often it was sent. */
  readonly events = new Map<string, Tree>();
  readonly faults: Fault[] = [];
  /** The treatment of every request. */
  always: Fault | undefined;
  latency = 0;
  private readonly incidents = new Map<string, string>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<FakeNightbell> {
    let fake: FakeNightbell | undefined;
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const raw = Buffer.concat(parts);
        const text =
          request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw).toString() : raw.toString();
        const received = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
        setTimeout(() => fake?.answer(received, response), fake?.latency ?? 0);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    fake = new FakeNightbell(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return fake;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Events that trigger, in the order in which they arrived. */
  get triggers(): Tree[] {
    return [...this.events.values()].filter((event) => event.action === 'trigger');
  }

  private answer(received: Received, response: ServerResponse): void {
    this.received.push(received);
    const fault = this.faults.shift() ?? this.always;
    if (fault === 'silent') return;
    const reply = (status: number, body: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    if (typeof fault === 'object') {
      reply(fault.status, { code: 'a_fault', message: 'A fault.' }, fault.headers);
      return;
    }
    const { path, body } = received;
    let status = 201;
    let answer: object = { id: body.id };
    if (path.endsWith('/v1/events')) answer = this.accept(body);
    else if (path.endsWith('/v1/events/batch')) {
      status = 200;
      answer = { results: (body.events as Tree[]).map((event) => this.accept(event)) };
    } else if (path.endsWith('/ping') || path.endsWith('/v1/samples')) status = 202;
    if (fault === 'lost') response.destroy();
    else reply(status, answer);
  }

  private accept(event: Tree): Tree {
    const id = String(event.id);
    this.events.set(id, event);
    const error = event.error as { fingerprint?: string } | undefined;
    const key = String(event.dedup_key ?? error?.fingerprint ?? id);
    const open = this.incidents.get(key);
    const incident = open ?? `incident-${this.incidents.size + 1}`;
    this.incidents.set(key, incident);
    return {
      id: incident,
      event_id: id,
      dedup_key: key,
      status: open ? 'deduplicated' : 'created',
      truncated: [],
      warnings: [],
    };
  }
}
