// The package as users meet it: what it exports, what its README shows, and its program.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as exported from '../src/index.js';
import { FakeNightbell } from './server.js';

const root = new URL('..', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

it('exports what surface.json lists', () => {
  const surface = JSON.parse(read('../proto/vectors/surface.json'));
  const own = surface.only.node;
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  // Private is what the types hide, which the compiled class does not say.
  const source = read('src/client.ts');
  const members = Object.getOwnPropertyNames(exported.Nightbell.prototype).filter(
    (name) => name !== 'constructor' && !new RegExp(`private (async )?${name}\\b`).test(source),
  );
  expect(members.sort()).toEqual([...surface.client.map(camel), ...own.client].sort());
  expect(Object.keys(exported).sort()).toEqual(own.package);
});

it('tells servers the version of the package', () => {
  expect(exported.version).toBe(JSON.parse(read('package.json')).version);
});

it('shows regions of examples in the README, to the letter', () => {
  const readme = read('README.md');
  const blocks = [...readme.matchAll(/(?:<!-- region: (\S+) (\S+) -->\n)?```js\n(.*?)\n```/gs)];
  expect(blocks.length).toBeGreaterThan(8);
  for (const [, file = '', region, shown] of blocks) {
    const found = new RegExp(`// #region ${region}\\n(.*?)\\n// #endregion`, 's').exec(read(file));
    expect(shown, `${file} ${region}`).toBe(found?.[1]);
  }
});

describe('npx @nightbell/node', () => {
  let server: FakeNightbell;
  beforeEach(async () => {
    server = await FakeNightbell.start();
  });
  afterEach(() => server.stop());

  const run = (args: string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const program = fileURLToPath(new URL('build/esm/bin.js', root));
      const key = { NIGHTBELL_SERVICE_KEY: 'nbs_Z3xQm0vJ7cR2tY8wL5nKpD4s', NIGHTBELL_BASE_URL: server.url };
      const child = spawn(process.execPath, [program, ...args], { env: { ...key, ...env } });
      const ended = { code: null as number | null, stdout: '', stderr: '' };
      child.stdout.on('data', (part) => {
        ended.stdout += part;
      });
      child.stderr.on('data', (part) => {
        ended.stderr += part;
      });
      child.on('close', (code) => resolve({ ...ended, code }));
    });

  it('triggers', async () => {
    const ended = await run([
      'trigger',
      'Disk',
      'full',
      '--severity',
      'high',
      '--tag',
      'a=b=c',
      '--dedup-key',
      'd',
    ]);
    expect(ended).toEqual({ code: 0, stdout: 'created incident-1\n', stderr: '' });
    expect(server.triggers).toMatchObject([
      { title: 'Disk full', severity: 'high', tags: { a: 'b=c' }, dedup_key: 'd' },
    ]);
  });
  it('pings and records', async () => {
    expect(await run(['heartbeat', 'backup', '--every', '60'])).toMatchObject({
      code: 0,
      stdout: 'ok backup\n',
    });
    expect(await run(['change', 'Deploy', '--kind', 'deployment'])).toMatchObject({ code: 0 });
    expect(server.received.map(({ path, body }) => [path, body])).toMatchObject([
      ['/v1/heartbeats/backup/ping', { status: 'ok', every_seconds: 60 }],
      ['/v1/changes', { summary: 'Deploy', kind: 'deployment' }],
    ]);
  });
  it('checks the configuration without showing the key', async () => {
    const ended = await run(['doctor']);
    expect(ended.stdout).toMatch(/service key {2}nbs_\.\.\.pD4s\n.*test event {3}created in \d+ ms\n$/s);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['doctor'], { NIGHTBELL_BASE_URL: '' })).toMatchObject({ code: 1 });
    expect(await run(['doctor'], { NIGHTBELL_SERVICE_KEY: '' })).toMatchObject({ code: 1, stdout: '' });
  });
  it('fails when it is refused (1), and when it is misused (2)', async () => {
    server.always = { status: 401 };
    expect(await run(['trigger', 't'])).toMatchObject({ code: 1, stdout: '' });
    for (const args of [
      [],
      ['trigger'],
      ['trigger', 't', '--sverity', 'low'],
      ['heartbeat', 'b', '--every', 'x'],
    ])
      expect(await run(args)).toMatchObject({ code: 2, stdout: '' });
    expect((await run(['--help'])).code).toBe(0);
  });
});
