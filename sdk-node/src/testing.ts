import type { Answer } from './answer.js';
import { Nightbell } from './client.js';
import type { Options } from './config.js';
import type { Event, Tree } from './event.js';
import type { Request, Transport } from './transport.js';

/** How the next requests fail: an HTTP status, or no answer at all. */
export type Failure =
  | { status: number; headers?: Record<string, string>; code?: string }
  | 'network'
  | 'timeout';

/** Keeps what a client sends, instead of sending it. */
export class MemoryTransport implements Transport {
  readonly requests: Request[] = [];
  /** What the server would have accepted, in order. */
  readonly events: Event[] = [];
  readonly changes: Tree[] = [];
  readonly samples: Tree[] = [];
  readonly pings: (Tree & { name: string })[] = [];
  private readonly failures: Failure[] = [];

  /** Makes the next request fail, and the ones after it if called again. */
  failNext(...failures: Failure[]): void {
    this.failures.push(...failures);
  }

  async send(request: Request): Promise<Answer> {
    this.requests.push(request);
    const failure = this.failures.shift();
    if (failure === 'network' || failure === 'timeout') return { failure };
    if (failure)
      return {
        status: failure.status,
        headers: failure.headers ?? {},
        body: JSON.stringify({ code: failure.code, message: 'A test failed it.' }),
      };
    const body = JSON.parse(request.body);
    switch (request.kind) {
      case 'event':
        return { status: 201, headers: {}, body: JSON.stringify(this.accept(body)) };
      case 'batch':
        return {
          status: 200,
          headers: {},
          body: JSON.stringify({ results: body.events.map((event: Event) => this.accept(event)) }),
        };
      case 'change':
        this.changes.push(body);
        return { status: 201, headers: {}, body: JSON.stringify({ id: body.id }) };
      case 'sample':
        this.samples.push(body);
        return { status: 202, headers: {}, body: '{}' };
      case 'ping':
        this.pings.push({ name: decodeURIComponent(request.path.split('/')[3] ?? ''), ...body });
        return { status: 202, headers: {}, body: '{}' };
    }
  }

  private accept(event: Event): Tree {
    const repeated = this.events.some((other) => other.id === event.id);
    if (!repeated) this.events.push(event);
    const status = { trigger: 'created', acknowledge: 'acknowledged', resolve: 'resolved' }[event.action];
    return {
      id: `incident-${event.dedup_key ?? event.error?.fingerprint ?? event.id}`,
      event_id: event.id,
      status,
    };
  }

  close(): void {}
}

/** A client for tests: nothing leaves the process, and what it sent can be looked at. */
export interface TestClient {
  client: Nightbell;
  transport: MemoryTransport;
  /** Everything that triggers an incident so far, sent or not. */
  incidents(): Promise<Event[]>;
  /** Throws unless an incident has all these fields. */
  expectIncident(partial: Partial<Event>): Promise<Event>;
}

export function createTestClient(options: Options = {}): TestClient {
  const transport = new MemoryTransport();
  const client = new Nightbell({
    serviceKey: 'nbs_for_tests_only_000000',
    baseUrl: 'https://nightbell.test',
    environment: 'test',
    enableAutoCapture: false,
    debug: false,
    ...options,
    transport,
  });
  const incidents = async (): Promise<Event[]> => {
    await client.flush();
    return transport.events.filter((event) => event.action === 'trigger');
  };
  return {
    client,
    transport,
    incidents,
    async expectIncident(partial) {
      const found = await incidents();
      const match = found.find((event) => matches(event, partial));
      if (!match)
        throw new Error(`No incident is like ${JSON.stringify(partial)}; there are ${JSON.stringify(found)}`);
      return match;
    },
  };
}

const matches = (value: unknown, wanted: unknown): boolean =>
  wanted !== null && typeof wanted === 'object'
    ? value !== null &&
      typeof value === 'object' &&
      Object.entries(wanted).every(([key, inner]) => matches((value as Tree)[key], inner))
    : value === wanted;
