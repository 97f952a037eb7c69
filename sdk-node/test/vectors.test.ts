// Runs every case of proto/vectors: what the SDKs of all languages do alike.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, judge, type Kind, type Verdict } from '../src/answer.js';
import { errorEvent } from '../src/capture.js';
import { Nightbell } from '../src/client.js';
import { load, mask, type Options } from '../src/config.js';
import { ConfigError, NightbellError, type ValidationError } from '../src/errors.js';
import type { Event, Exception, Tree } from '../src/event.js';
import { fingerprint } from '../src/fingerprint.js';
import * as ids from '../src/id.js';
import { type Reading, ratioOf, Watch, type WatchRule } from '../src/monitor.js';
import type { Pipeline } from '../src/pipeline.js';
import { redactor, rules } from '../src/redact.js';
import { background, foreground } from '../src/retry.js';
import { routeOf } from '../src/route.js';
import { type Context, currentContext, withContext } from '../src/scope.js';
import { MemoryTransport } from '../src/testing.js';
import { headersOf } from '../src/transport.js';
import { limit } from '../src/truncate.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of a case is the family's own
type Case = any;

const families = [
  'config',
  'payload',
  'errors',
  'retry',
  'redaction',
  'truncation',
  'fingerprint',
  'monitors',
  'ids',
  'proxy',
];
const read = (family: string): Case =>
  JSON.parse(readFileSync(new URL(`../../proto/vectors/${family}.json`, import.meta.url), 'utf8'));

/** Fails for a field that this runner does not know. */
const only = (value: object, ...known: string[]): void => {
  for (const field of Object.keys(value)) expect(known, `unknown field ${field}`).toContain(field);
};

/** In `expect` null means absent, and what is not named is not compared. */
const named = (got: Tree, wanted: Tree): void => {
  for (const [field, value] of Object.entries(wanted)) expect(got[field] ?? null, field).toEqual(value);
};

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const optionName = (name: string): string => camel(name.replace(/^(timeout|flush_timeout)_ms$/, '$1'));
const wireName = (name: string): string => snake(name).replace(/^(timeout|flush_timeout)$/, '$1_ms');
const inCamel = (tree: Tree | undefined): Tree =>
  Object.fromEntries(Object.entries(tree ?? {}).map(([name, value]) => [optionName(name), value]));
const inSnake = (tree: object): Tree =>
  Object.fromEntries(Object.entries(tree).map(([name, value]) => [wireName(name), value]));

/** What is behind the public face of a client. */
const pipelineOf = (client: Nightbell): Pipeline => (client as unknown as { pipeline: Pipeline }).pipeline;

it('knows every family', () => {
  for (const family of families) expect(read(family).about, family).toBeTypeOf('string');
});

describe('proxy', () => {
  it.each(read('proxy').cases as Case[])('$description', (c) => {
    only(c, 'description', 'base_url', 'env', 'proxy');
    expect(routeOf({ baseUrl: c.base_url, caFile: undefined }, c.env).proxy ?? null).toBe(c.proxy);
  });
});

describe('config', () => {
  const file = read('config');
  only(file, 'about', 'options', 'cases', 'masks');
  it('has the options of the table', () => {
    const { settings } = load({ disabled: true }, {}, 'h');
    const known = [...Object.keys(settings).map(wireName), 'allow_insecure', 'strict'].filter(
      (name) => name !== 'enabled',
    );
    expect(file.options.map(({ option }: Case) => option).sort()).toEqual(known.sort());
  });
  it.each(file.cases as Case[])('$description', (c) => {
    only(c, 'description', 'args', 'env', 'host_name', 'expect', 'warnings', 'error');
    const run = () => load(inCamel(c.args) as Options, c.env, c.host_name);
    if (c.error) {
      const error = failure(run);
      expect(error).toBeInstanceOf(ConfigError);
      expect({ option: wireName((error as ConfigError).option), code: (error as ConfigError).code }).toEqual(
        c.error,
      );
      return;
    }
    const { settings, warnings } = run();
    named(inSnake(settings), c.expect);
    expect(warnings).toEqual(c.warnings);
  });
  it.each(file.masks as Case[])('$description', (c) => expect(mask(c.key)).toBe(c.masked));
});

const failure = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('ids', () => {
  it.each(read('ids').cases as Case[])('$description', (c) => {
    if (c.kind !== 'uuid7') throw new Error(`unknown kind ${c.kind}`);
    expect(ids.uuid7(c.time_ms, Buffer.from(c.random, 'hex'))).toBe(c.expect);
  });
});

describe('redaction', () => {
  const file = read('redaction');
  it('has the rules of the file', () => expect(rules).toEqual(file.rules));
  it.each(file.cases as Case[])('$description', (c) => {
    only(c, 'description', 'kind', 'value', 'expect', 'redact_keys');
    const r = redactor(c.redact_keys);
    const apply = { value: r.value, text: r.text, query: r.query }[c.kind as 'value'];
    expect(apply(c.value)).toEqual(c.expect);
  });
});

/** Writes out the notation of truncation.json. */
const expand = (value: Case, i?: number): Case => {
  if (typeof value === 'string') return i === undefined ? value : value.replaceAll('{i}', String(i));
  if (Array.isArray(value)) return value.map((inner) => expand(inner, i));
  if (value === null || typeof value !== 'object') return value;
  if ('$repeat' in value) return value.$repeat.repeat(value.times) + (value.then ?? '');
  if ('$concat' in value) return value.$concat.flatMap((inner: Case) => expand(inner, i));
  const { $map, $list, $number } = value;
  if ($map) return Object.fromEntries(count($map).map((n) => [$map.prefix + n, expand($map.value, n)]));
  if ($list) return count($list).map((n) => expand($list.item, n));
  if ($number) return /^-?\d+$/.test($number) ? BigInt($number) : Number($number);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner, i)]));
};
const count = ({ from, to }: Case): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('truncation', () => {
  it.each(read('truncation').cases as Case[])('$description', (c) => {
    only(c, 'description', 'event', 'expect');
    expect(JSON.parse(limit(expand(c.event)).body)).toEqual(expand(c.expect));
  });
});

describe('fingerprint', () => {
  it.each(read('fingerprint').cases as Case[])('$description', (c) => {
    only(c, 'description', 'environment', 'exceptions', 'text', 'expect');
    expect(fingerprint(c.environment, c.exceptions)).toEqual({ text: c.text, sum: c.expect });
  });
});

describe('errors', () => {
  const file = read('errors');
  const tree = ({ outcome, error, pause, wish, result, items }: Verdict, sent: string[]): Tree => {
    const { kind, code, requestId, details, message } = (error ?? {}) as ValidationError;
    return {
      outcome,
      error: kind,
      code,
      message,
      request_id: requestId,
      details,
      pause,
      retry_after_ms: wish || undefined,
      result: result && inSnake(result),
      items: items?.map((item, n) => ({ event_id: sent[n], ...tree(item, sent) })),
    };
  };
  it.each(file.cases as Case[])('$description', (c) => {
    only(c, 'description', 'request', 'answer', 'failure', 'sent', 'expect');
    const body =
      c.answer?.body === undefined
        ? ''
        : typeof c.answer.body === 'string'
          ? c.answer.body
          : JSON.stringify(c.answer.body);
    const answer: Answer = c.failure
      ? { failure: c.failure }
      : { status: c.answer.status, headers: c.answer.headers ?? {}, body };
    const sent = c.sent ?? [];
    const got = tree(judge({ kind: c.request as Kind, ids: sent }, answer, Date.parse(file.now)), sent);
    const { result, items, ...rest } = c.expect;
    if (result) named(got.result as Tree, result);
    for (const [n, item] of (items ?? []).entries()) named((got.items as Tree[])[n] as Tree, item);
    named(got, rest);
  });
});

describe('retry', () => {
  const file = read('retry');
  it.each(file.cases as Case[])('$description', (c) => {
    only(c, 'description', 'mode', 'timeout_ms', 'max_retries', 'answers', 'random', 'expect');
    const values = [...c.random];
    const random = () => {
      expect(values.length, 'one random value per delay').toBeGreaterThan(0);
      return values.shift();
    };
    const rule = { maxRetries: c.max_retries, life: 3 * c.timeout_ms };
    const delays: number[] = [];
    let elapsed = 0;
    const run = (): string => {
      for (const [n, given] of c.answers.entries()) {
        elapsed += given.takes_ms ?? 0;
        const answer: Answer = given.failure
          ? { failure: given.failure }
          : {
              status: given.status,
              headers: given.headers ?? {},
              body: given.status < 300 ? '{"status":"created"}' : '',
            };
        const verdict = judge({ kind: 'event', ids: [] }, answer, Date.parse(file.now) + elapsed);
        if (verdict.outcome !== 'retry') return verdict.outcome;
        const delay =
          c.mode === 'foreground'
            ? foreground(rule, n, verdict.wish, elapsed, random)
            : background(n, verdict.wish, elapsed, random);
        if (delay === undefined) return c.mode === 'foreground' ? 'queued' : 'gave_up';
        delays.push(delay);
        elapsed += delay;
      }
      throw new Error('no answer left');
    };
    const outcome = run();
    expect({ outcome, attempts: delays.length + 1, delays_ms: delays }).toEqual(c.expect);
  });
});

const makeClient = (config: Tree, transport = new MemoryTransport()): Nightbell => {
  const client = new Nightbell({
    debug: false,
    enableAutoCapture: false,
    ...inCamel(config),
    transport,
  } as Options);
  if (config.server_name === null) (client.settings as { serverName: unknown }).serverName = undefined;
  return client;
};

describe('payload', () => {
  const file = read('payload');
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const call = async (client: Nightbell, c: Case): Promise<void> => {
    const { input } = c;
    const more = { idempotencyKey: c.id };
    const given = {
      ...inCamel(input),
      ...(input.occurred_at && { occurredAt: new Date(input.occurred_at) }),
    } as Case;
    switch (c.call) {
      case 'trigger':
        await client.triggerIncident(given, more);
        return;
      case 'acknowledge':
        await client.acknowledge(input.dedup_key, more);
        return;
      case 'resolve':
        await client.resolve(input.dedup_key, more);
        return;
      case 'change':
        client.recordChange(given);
        return;
      case 'sample':
        client.recordSample(input.name, input.value, input.unit);
        return;
      case 'ping':
        client.ping(input.name, {
          status: input.status,
          runId: input.run_id,
          every: input.every_seconds && `${input.every_seconds}s`,
          grace: input.grace_seconds && `${input.grace_seconds}s`,
        } as Case);
        return;
      case 'capture_error': {
        const { exceptions, ...about } = given;
        pipelineOf(client).enqueueEvent(errorEvent(c.id, exceptions as Exception[], about, currentContext()));
        return;
      }
      default:
        throw new Error(`unknown call ${c.call}`);
    }
  };

  it.each(file.cases as Case[])('$description', async (c) => {
    only(c, 'description', 'call', 'config', 'now', 'id', 'scope', 'input', 'expect');
    vi.setSystemTime(c.now);
    const transport = new MemoryTransport();
    const client = makeClient(c.config, transport);
    await withContext((c.scope ?? {}) as Context, () => call(client, c));
    await client.flush();
    const [request] = transport.requests;
    if (!request) throw new Error('no request');
    const own = c.call === 'change'; // its id is made inside
    const body = JSON.parse(request.body);
    if (own) body.id = c.id;
    expect(body).toEqual(c.expect.body);
    const { settings } = client;
    const url = new URL(settings.baseUrl + request.path);
    expect({ method: 'POST', path: url.pathname }).toEqual({ method: c.expect.method, path: c.expect.path });
    named(headersOf(settings, own ? { ...request, id: c.id } : request), c.expect.headers);
    await client.close();
  });

  it.each(file.refused as Case[])('$description', async (c) => {
    const client = makeClient({
      service_key: 'nbs_Z3xQm0vJ7cR2tY8wL5nKpD4s',
      base_url: 'https://nightbell.acme.test',
    });
    const error = await call(client, c).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NightbellError);
    expect((error as ValidationError).details[0]).toMatchObject(c.error);
    await client.close();
  });
});

describe('monitors', () => {
  const file = read('monitors');
  const config = (c: Case): Tree => ({
    service_key: file.credential,
    base_url: 'https://nightbell.acme.test',
    server_name: file.server_name,
    environment: c.environment ?? 'production',
  });
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const readings = async (c: Case): Promise<void> => {
    const client = makeClient(config(c));
    const { every_ms: _, min_total, ...rule } = c.config;
    const left = [...(c.ids as string[])];
    const start = () =>
      new Watch({
        ...(inCamel(rule) as unknown as WatchRule),
        kind: c.kind,
        environment: client.settings.environment,
        newId: () => left.shift() ?? '',
      });
    let watch = start();
    const events: Event[] = [];
    const samples: Tree[] = [];
    for (const given of c.readings) {
      if (given.error) continue;
      if (given.restart) watch = start(); // read by a new process
      const reading: Reading | undefined =
        c.kind === 'ratio' ? ratioOf(given, min_total) : { value: given.value };
      if (!reading) continue;
      samples.push({ name: rule.name, at: given.at, value: reading.value });
      const event = watch.look(Date.parse(given.at), reading);
      if (event) events.push(JSON.parse(pipelineOf(client).seal(event) ?? ''));
    }
    expect(events).toEqual(c.expect.events);
    expect(samples).toEqual(c.expect.samples);
    await client.close();
  };

  /** Gives ids in turn, and keeps when each body was sent. */
  const recorded = (c: Case) => {
    const sent: { sent_at: string; body: Tree }[] = [];
    const paths = new Set<string>();
    const transport = new MemoryTransport();
    const client = makeClient(config(c), transport);
    const send = transport.send.bind(transport);
    transport.send = (request) => {
      const body = JSON.parse(request.body);
      paths.add(request.path);
      sent.push({ sent_at: new Date(Math.floor(Date.now() / 10) * 10).toISOString(), body });
      return send(request);
    };
    // Events linger for others; what counts here is when they were made.
    const pipeline = pipelineOf(client);
    const enqueue = pipeline.enqueueEvent.bind(pipeline);
    const made: string[] = [];
    pipeline.enqueueEvent = (event, more) => {
      event.id = c.ids[made.push(new Date().toISOString()) - 1];
      enqueue(event, more);
    };
    return { client, sent, made, paths };
  };

  const run = async (c: Case): Promise<void> => {
    vi.setSystemTime(c.start);
    const { client, sent, made, paths } = recorded(c);
    const until = async (time: string) =>
      void (await vi.advanceTimersByTimeAsync(Date.parse(time) - Date.now()));
    if (c.kind === 'performance') {
      let finish = (): void => {};
      const options = { threshold: c.config.threshold_ms, severity: c.config.severity };
      const work = client.performance(
        c.config.name,
        options,
        () =>
          new Promise<void>((resolve) => {
            finish = resolve;
          }),
      );
      await until(c.end ?? '2026-11-22T04:00:00.000Z');
      if (c.end) {
        finish();
        await work;
      }
      const flushed = client.flush();
      await vi.advanceTimersByTimeAsync(5000);
      await flushed;
      const bodies = sent.flatMap(({ body }) => (body.events as Tree[] | undefined) ?? [body]);
      expect(bodies.map((body, n) => ({ sent_at: made[n], body }))).toEqual(c.expect.events);
      return;
    }
    if (c.kind === 'heartbeat') {
      const { name, every_ms, grace_ms } = c.config;
      const heartbeat = client.heartbeat(name, { every: every_ms, grace: grace_ms });
      await until(c.stop);
      heartbeat.stop();
    } else if (c.kind === 'job') {
      const { name, schedule, time_zone, max_runtime_ms } = c.config;
      const work = client.job(
        name,
        { schedule, timeZone: time_zone, maxRuntime: max_runtime_ms },
        async () => {
          await new Promise((resolve) => setTimeout(resolve, Date.parse(c.end) - Date.parse(c.start)));
          if (c.failed) throw new Error('failed');
        },
      );
      const settled = work.catch(() => {});
      await until(c.end);
      await settled;
    } else throw new Error(`unknown kind ${c.kind}`);
    await vi.advanceTimersByTimeAsync(5); // a timer of 0 ms takes 1
    expect([...paths]).toEqual([c.expect.path]);
    const runId = sent[0]?.body.run_id;
    const pings = sent.map((ping) =>
      runId ? { ...ping, body: { ...ping.body, run_id: ping.body.run_id === runId ? c.ids[0] : '?' } } : ping,
    );
    expect(pings).toEqual(c.expect.pings);
  };

  it.each(file.cases as Case[])('$kind: $description', (c) => {
    only(
      c,
      'description',
      'kind',
      'config',
      'environment',
      'readings',
      'start',
      'end',
      'stop',
      'ids',
      'failed',
      'expect',
    );
    return c.readings ? readings(c) : run(c);
  });
});
