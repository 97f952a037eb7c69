// How a process ends must not lose an event, and not change: its exit code, its output, its time.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNightbell } from './server.js';

const packageUrl = new URL('../build/esm/index.js', import.meta.url).href;
let server: FakeNightbell;

beforeEach(async () => {
  server = await FakeNightbell.start();
});
afterEach(() => server.stop());

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  stdout: string;
  /** From the last line that the program printed to its end. */
  delay: number;
}

/** Runs a program with a client; it prints `now` when it is about to end. */
const run = (
  program: string,
  { kill, options = '' }: { kill?: NodeJS.Signals; options?: string } = {},
): Promise<Ended> =>
  new Promise((resolve) => {
    const source = `import { Nightbell } from '${packageUrl}';
      const client = new Nightbell({ serviceKey: 'nbs_Z3xQm0vJ7cR2tY8wL5nKpD4s', baseUrl: '${server.url}', environment: 'production', ${options} });
      const now = () => console.log('now');
      ${program}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    let stdout = '';
    let stderr = '';
    let start = Date.now();
    child.stdout.on('data', (part) => {
      stdout += part;
      start = Date.now();
      if (kill) child.kill(kill);
    });
    child.stderr.on('data', (part) => {
      stderr += part;
    });
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr, delay: Date.now() - start }));
  });

const mostDelay = 2500;

describe.each([
  ['process.exit right after', `client.captureError(new Error('boom')); now(); process.exit(3);`, 3, ''],
  ['the natural end', `client.captureError(new Error('boom')); now();`, 0, ''],
  ['an uncaught error', `now(); throw new Error('boom');`, 1, 'Error: boom'],
  ['an unhandled rejection', `now(); Promise.reject(new Error('boom'));`, 1, 'Error: boom'],
  ['an error in a timer', `setTimeout(() => { now(); throw new Error('boom'); }, 10);`, 1, 'Error: boom'],
])('%s', (_, program, code, output) => {
  it('delivers once and keeps exit code and output', async () => {
    const ended = await run(program);
    expect(ended).toMatchObject({ code, stdout: 'now\n' });
    expect(ended.stderr).toContain(output);
    if (!output) expect(ended.stderr).toBe('');
    expect(server.triggers).toMatchObject([{ title: 'boom', severity: output ? 'high' : 'medium' }]);
  });
  it('ends within 2.5 s when the server is silent', async () => {
    server.always = 'silent';
    const ended = await run(program);
    expect(ended).toMatchObject({ code, stdout: 'now\n' });
    expect(ended.stderr).toContain(output);
    expect(ended.delay).toBeLessThan(mostDelay);
  });
});

it.each(['SIGTERM', 'SIGINT'] as const)('%s delivers and still ends the process', async (kill) => {
  const program = `client.captureError(new Error('boom')); setInterval(() => {}, 1000); now();`;
  const ended = await run(program, { kill });
  expect(ended).toMatchObject({ code: null, signal: kill, stderr: '' });
  expect(server.triggers).toMatchObject([{ title: 'boom' }]);
});

it('a signal that the program handles is left to it', async () => {
  const program = `process.on('SIGTERM', () => process.exit(7)); client.captureError(new Error('boom')); setInterval(() => {}, 1000); now();`;
  expect(await run(program, { kill: 'SIGTERM' })).toMatchObject({ code: 7, stderr: '' });
  expect(server.triggers).toMatchObject([{ title: 'boom' }]);
});

it('a rejection that the program handles is no incident', async () => {
  const program = `process.on('unhandledRejection', () => {}); Promise.reject(new Error('boom')); setTimeout(now, 20);`;
  expect(await run(program)).toMatchObject({ code: 0, stderr: '' });
  expect(server.events.size).toBe(0);
});

it('makes one incident when the answer is lost at the end', async () => {
  server.faults.push('lost', { status: 503 });
  await run(`client.captureError(new Error('boom')); process.exit(0);`);
  expect(server.events.size).toBe(1);
  expect(server.received).toHaveLength(3);
});

it('sends again under the same id what is under way at the end', async () => {
  server.faults.push('silent');
  await run(
    `client.enqueueIncident({ title: 'boom', severity: 'critical' }); setTimeout(() => process.exit(0), 200);`,
  );
  expect(server.received).toHaveLength(2);
  expect(server.events.size).toBe(1);
});

it('delivers a burst of 1,000 at the end', async () => {
  await run(`for (let n = 0; n < 1000; n++) client.captureError(new Error('fault ' + n)); process.exit(0);`);
  expect(server.events.size).toBe(1000);
});

it('holds no process: neither heartbeats, monitors nor kept connections', async () => {
  const ended =
    await run(`client.heartbeat('h'); client.metricMonitor('m', { every: '5m', below: 1, query: () => 5 });
    await client.triggerIncident({ title: 't' }); now();`);
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.delay).toBeLessThan(mostDelay);
});
