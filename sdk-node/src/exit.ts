import type { MessagePort } from 'node:worker_threads';
import { type Answer, judge } from './answer.js';
import { builtin } from './builtin.js';
import type { CaptureContext } from './capture.js';
import { type Cargo, cargoOf } from './lane.js';
import type { Pipeline } from './pipeline.js';
import { type Item, mostBatch } from './queue.js';
import { agentOf, type Route, routeOf } from './route.js';
import { headersOf } from './transport.js';

const longest = 2000; // may delivery hold the end of the program, in ms

/** What the worker sends: everything is ready, it knows nothing of events. */
export interface Parcel {
  url: string;
  headers: Record<string, string>;
  body: string;
}

const watched = new Set<Pipeline>();

/** Delivers what waits when the process ends in any way that runs JavaScript. */
export function deliverAtExit(pipeline: Pipeline): void {
  if (watched.size === 0) process.on('exit', onExit);
  watched.add(pipeline);
}

export function forgetAtExit(pipeline: Pipeline): void {
  watched.delete(pipeline);
  if (watched.size === 0) process.removeListener('exit', onExit);
}

function onExit(): void {
  const deadline = Date.now() + longest;
  for (const pipeline of watched) {
    try {
      deliverNow(pipeline, Math.min(deadline, Date.now() + pipeline.settings.flushTimeout));
    } catch (error) {
      pipeline.log.warn('exit', `delivery at the end failed: ${String(error)}`);
    }
  }
}

/** Delivers everything while this thread stands still, because the process ends when it goes on. */
function deliverNow(pipeline: Pipeline, deadline: number): void {
  const items = pipeline.queue.drain().filter((item) => pipeline.build(item));
  if (items.length === 0) return;
  const may = pipeline.on && pipeline.gate.until <= Date.now() && deadline > Date.now();
  const left = may ? exchange(pipeline, items, deadline) : items;
  pipeline.keep('exit', left);
}

/** Returns what was not delivered and could be later. */
function exchange(pipeline: Pipeline, items: Item[], deadline: number): Item[] {
  const batches = batchesOf(items);
  const cargoes = batches.map(cargoOf);
  const answers = sendFromWorker(
    cargoes.map((cargo) => parcelOf(pipeline, cargo)),
    routeOf(pipeline.settings, process.env),
    deadline,
  );
  const left: Item[] = [];
  for (const [n, batch] of batches.entries()) {
    const cargo = cargoes[n] as Cargo;
    const verdict = judge(cargo, answers.get(n) ?? { failure: 'timeout' }, Date.now());
    pipeline.note(cargo, verdict);
    for (const [place, item] of batch.entries()) {
      const own = verdict.items?.[place] ?? verdict;
      if (own.outcome === 'delivered') pipeline.delivered(item);
      else if (own.outcome === 'rejected' || own.outcome === 'disabled')
        pipeline.drop('rejected', [item], own.error);
      else left.push(item);
    }
  }
  return left;
}

/** What is critical goes first and alone; other events travel together. */
function batchesOf(items: Item[]): Item[][] {
  const batches: Item[][] = [];
  let open: Item[] | undefined;
  for (const item of [...items].sort((a, b) => Number(b.urgent) - Number(a.urgent))) {
    const batch = item.kind === 'event' && !item.urgent ? open : undefined;
    if (batch && batch.length < mostBatch) {
      batch.push(item);
      continue;
    }
    const fresh = [item];
    batches.push(fresh);
    if (item.kind === 'event' && !item.urgent) open = fresh;
  }
  return batches;
}

const parcelOf = (pipeline: Pipeline, cargo: Cargo): Parcel => ({
  url: pipeline.settings.baseUrl + cargo.path,
  headers: headersOf(pipeline.settings, { id: cargo.id, attempt: 1 }),
  body: cargo.body,
});

/** A thread of its own can wait for the network, while this one waits for it without an event loop. */
function sendFromWorker(parcels: Parcel[], route: Route, deadline: number): Map<number, Answer> {
  const { MessageChannel, Worker, receiveMessageOnPort } = builtin('worker_threads');
  const state = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  // Bundlers that keep names wrap functions in __name.
  const source = `const __name = (f) => f; (${sendParcels.toString()})(require('node:worker_threads').workerData, ${agentOf.toString()})`;
  const worker = new Worker(source, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { parcels, route, deadline, state, port: port2 },
    transferList: [port2],
  });
  worker.unref();
  Atomics.wait(state, 0, 0, Math.max(deadline - Date.now(), 0));
  const answers = new Map<number, Answer>();
  for (let found = receiveMessageOnPort(port1); found; found = receiveMessageOnPort(port1))
    answers.set(found.message.n, found.message.answer);
  return answers;
}

/** Runs in the worker, from its text: it can use nothing of this file. */
function sendParcels(
  work: { parcels: Parcel[]; route: Route; deadline: number; state: Int32Array; port: MessagePort },
  agentAlong: typeof agentOf,
): void {
  const { parcels, route, deadline, state, port } = work;
  const http = process.getBuiltinModule(route.secure ? 'node:https' : 'node:http');
  const agent = agentAlong(route, { keepAlive: true, maxSockets: 4 }, true);
  const again = [408, 409, 425, 429, 500, 502, 503, 504];

  const once = ({ url, headers, body }: Parcel): Promise<Answer> =>
    new Promise((resolve) => {
      const call = http.request(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent,
      });
      const failed = (cause: unknown) => resolve({ failure: 'network', cause: String(cause) });
      call.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', failed);
        response.on('aborted', failed);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: { ...response.headers }, body: text }),
        );
      });
      call.on('error', failed);
      call.end(body);
    });

  const deliver = async (parcel: Parcel, n: number): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await once(parcel);
      const failed = 'failure' in answer;
      const asked = failed ? 0 : 1000 * Number(answer.headers['retry-after'] ?? 0) || 0;
      const delay = Math.max(50 * 2 ** attempt, asked);
      if ((!failed && !again.includes(answer.status)) || Date.now() + delay >= deadline) {
        port.postMessage({ n, answer });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  };

  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < parcels.length) {
      const n = next++;
      await deliver(parcels[n] as Parcel, n);
    }
  };
  Promise.allSettled([loop(), loop(), loop(), loop()]).then(() => {
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
  });
}

type Capture = (error: unknown, about: CaptureContext) => void;

/**
 * Reports errors that nobody handles, and delivers on signals that would end the process
 * silently. Exit codes and what Node prints stay as they are. Returns what ends it.
 */
export function autoCapture(capture: Capture): () => void {
  // A monitor sees uncaught errors and rejections without changing what becomes of them.
  const onUncaught = (error: unknown): void => capture(error, { handled: false });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return; // the program decides what the signal means
    process.removeListener(signal, onSignal);
    onExit();
    process.kill(process.pid, signal);
  };
  process.on('uncaughtExceptionMonitor', onUncaught);
  for (const signal of signals) if (process.listenerCount(signal) === 0) process.on(signal, onSignal);
  return () => {
    process.removeListener('uncaughtExceptionMonitor', onUncaught);
    for (const signal of signals) process.removeListener(signal, onSignal);
  };
}
