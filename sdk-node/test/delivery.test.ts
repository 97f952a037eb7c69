import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Nightbell, type Options, ServerError, ValidationError } from '../src/index.js';
import { FakeNightbell } from './server.js';

const serviceKey = 'nbs_Z3xQm0vJ7cR2tY8wL5nKpD4s';
let server: FakeNightbell;
let warnings: string[];
let clients: Nightbell[];

beforeEach(async () => {
  server = await FakeNightbell.start();
  warnings = [];
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.close(0);
  await server.stop();
});

const make = (options: Options = {}): Nightbell => {
  const client = new Nightbell({
    serviceKey,
    baseUrl: server.url,
    environment: 'test',
    logger: { warn: (text) => void warnings.push(text) },
    ...options,
  });
  clients.push(client);
  return client;
};

describe('a call that somebody awaits', () => {
  it('returns the incident', async () => {
    const result = await make().triggerIncident({
      title: 'Orders stopped',
      severity: 'critical',
      dedupKey: 'orders',
    });
    expect(result).toMatchObject({ id: 'incident-1', status: 'created', dedupKey: 'orders' });
    const [received] = server.received;
    expect(received?.headers).toMatchObject({
      authorization: `Bearer ${serviceKey}`,
      'idempotency-key': received?.body.id,
      'nightbell-sent-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });
  it('is delivered after 503 twice, under one id', async () => {
    server.faults.push({ status: 503 }, { status: 503 });
    expect((await make().triggerIncident({ title: 't' })).status).toBe('created');
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(({ body }) => body.id)).size).toBe(1);
    expect(server.received.map(({ headers }) => headers['nightbell-attempt'])).toEqual(['1', '2', '3']);
  });
  it('makes one incident when the answer is lost', async () => {
    server.faults.push('lost');
    expect((await make().triggerIncident({ title: 't' })).id).toBe('incident-1');
    expect(server.received).toHaveLength(2);
    expect(server.events.size).toBe(1);
  });
  it('goes on in the background when the retries are used up', async () => {
    server.faults.push({ status: 503 });
    const client = make({ maxRetries: 0 });
    const error = await client.triggerIncident({ title: 't' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ queued: true });
    await client.flush();
    expect([...server.events.keys()]).toEqual([(error as ServerError).eventId]);
  });
  it('says what is wrong with an event before it is sent', async () => {
    const error = await make()
      .triggerIncident({ title: ' ' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(server.received).toHaveLength(0);
  });
  it('is no failure without a key', async () => {
    const client = make({ serviceKey: '' });
    expect(await client.triggerIncident({ title: 't' })).toMatchObject({ id: null, status: 'disabled' });
    expect(warnings).toEqual([expect.stringContaining('NIGHTBELL_SERVICE_KEY')]);
  });
});

describe('the background', () => {
  it('sends a burst of 1,000 in at most 12 requests and two connections', async () => {
    server.latency = 20;
    const client = make();
    for (let n = 0; n < 1000; n++) client.captureError(new Error(`fault number ${n}`));
    await client.flush(10_000);
    expect(server.events.size).toBe(1000);
    expect(server.received.length).toBeLessThanOrEqual(12);
  });
  it('counts an error that happens again instead of sending it again', async () => {
    const client = make();
    const fail = () => client.captureError(new Error('the same'));
    const ids = new Set(Array.from({ length: 50 }, fail));
    await client.flush();
    expect(ids.size).toBe(1);
    expect(server.triggers).toMatchObject([{ count: 50 }]);
  });
  it('reports one error object once', async () => {
    const client = make();
    const error = new Error('once');
    expect(client.captureError(error)).toBeTypeOf('string');
    expect(client.captureError(new Error('outer', { cause: error }))).toBeNull();
  });
  it('waits as long as the server asks for', async () => {
    server.faults.push({ status: 429, headers: { 'retry-after-ms': '300' } });
    const client = make();
    const start = Date.now();
    client.enqueueIncident({ title: 't' });
    expect(await client.flush(5000)).toMatchObject({ ok: true, delivered: 1 });
    expect(Date.now() - start).toBeGreaterThanOrEqual(300);
  });
  it('finds the event that the server refuses, and delivers the others', async () => {
    server.faults.push({ status: 413 });
    const client = make();
    for (let n = 0; n < 4; n++) client.enqueueIncident({ title: `t${n}` });
    await client.flush();
    expect(server.events.size).toBe(4);
    expect(server.received.map(({ path }) => path)).toEqual([
      '/v1/events/batch',
      '/v1/events/batch',
      '/v1/events/batch',
    ]);
  });
  it('drops the least severe first when the queue is full, and says so', async () => {
    const client = make({ maxQueue: 2 });
    client.enqueueIncident({ title: 'a', severity: 'low' });
    client.enqueueIncident({ title: 'b', severity: 'critical' });
    client.enqueueIncident({ title: 'c', severity: 'high' });
    await client.flush();
    expect(server.triggers.map(({ title }) => title).sort()).toEqual(['b', 'c']);
    expect(client.stats().dropped).toEqual({ queue_full: 1 });
    expect(warnings).toEqual([expect.stringContaining('queue_full')]);
  });
  it('pauses when the key is refused, and never shows the key', async () => {
    server.always = { status: 401 };
    const client = make();
    client.enqueueIncident({ title: 't' });
    await client.flush(300);
    client.enqueueIncident({ title: 'u' });
    await client.flush(300);
    expect(server.received).toHaveLength(1);
    expect(warnings.join()).not.toContain(serviceKey);
  });
  it('is not disturbed by functions of the program that throw', async () => {
    const client = make({
      beforeSend: () => {
        throw new Error('no');
      },
    });
    client.captureError(new Error('boom'));
    await client.flush();
    expect(server.triggers).toMatchObject([{ title: 'boom' }]);
  });
  it('keeps contexts of work at the same time apart', async () => {
    const client = make();
    const request = (n: number) =>
      client.withContext({ user: { id: `u${n}` }, tags: { n: String(n) } }, async () => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        client.captureError(new Error(`fault of u${n}`));
      });
    await Promise.all(Array.from({ length: 100 }, (_, n) => request(n)));
    await client.flush();
    expect(server.triggers).toHaveLength(100);
    for (const event of server.triggers)
      expect(event.title).toBe(`fault of ${(event.user as { id: string }).id}`);
  });
});

it('delivers at the next start what the spool kept', async () => {
  const spoolDir = mkdtempSync(join(tmpdir(), 'nightbell-'));
  try {
    server.always = { status: 503 };
    const first = make({ spoolDir });
    first.enqueueIncident({ title: 'password=hunter2' });
    await first.close(100);
    expect(readdirSync(spoolDir)).toHaveLength(1);
    server.always = undefined;
    const second = make({ spoolDir });
    await second.flush();
    expect(server.triggers).toMatchObject([{ title: 'password=[redacted]' }]);
    expect(readdirSync(spoolDir)).toHaveLength(0);
  } finally {
    rmSync(spoolDir, { recursive: true });
  }
});
