// Measures the SDKs beside the anchor of each language in one run: install size, import, cost of a
// capture, bundle, binary, and what arrives of a burst. Writes docs-mdx/bench/sdk.json, and ends
// with 1 where a bar is missed. Bars are ratios wherever the machine would otherwise decide.
import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const anchors = {
  node: '@sentry/node@10.78.0',
  python: 'sentry-sdk==2.68.0',
  go: 'github.com/getsentry/sentry-go@v0.50.0',
};
const root = fileURLToPath(new URL('..', import.meta.url));
const programs = join(root, 'sdk-bench/programs');
// The frameworks of our tests lie beside pip; programs run without them, as anchors look for them.
const pipPython = join(root, '.tools/python/bin/python');
const python = execFileSync(pipPython, ['-c', 'import sys; print(sys._base_executable)'], {
  encoding: 'utf8',
}).trim();
const work = mkdtempSync(join(tmpdir(), 'bench-sdk-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const rounds = 21;
const latency = 200;
const perCapture = 5; // processes

const env = (more = {}) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: tmpdir(),
  GOWORK: 'off',
  CGO_ENABLED: '0',
  ...more,
});
const printed = {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 1 << 26,
  timeout: 300_000,
};
const run = (command, args, { cwd = work, more } = {}) =>
  execFileSync(command, args, { cwd, env: env(more), ...printed });
/** Asks registries, whose addresses and proxies stand in the environment of this machine. */
const fetched = (command, args, cwd = work) =>
  execFileSync(command, args, { cwd, env: { ...process.env, GOWORK: 'off' }, ...printed });
const figures = [];
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const round = (number, digits = 1) => Number(number.toFixed(digits));

/** `ours` and `anchor` in a unit. `met` says whether a bar holds; without one the figure is only shown. */
function figure(sdk, what, unit, ours, anchor, bar, met) {
  figures.push({ sdk, what, unit, ours, anchor, bar: bar ?? null, met: met ?? null });
  const verdict = met === undefined ? '' : met ? `  (bar: ${bar})` : `  MISSED (bar: ${bar})`;
  console.log(
    `${sdk.padEnd(7)} ${what.padEnd(34)} ${String(ours).padStart(10)} ${unit.padEnd(6)} anchor ${anchor}${verdict}`,
  );
}

/** Bytes and files below a folder. */
function size(folder) {
  let bytes = 0;
  let files = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    bytes += statSync(join(entry.parentPath ?? entry.path, entry.name)).size;
    files += 1;
  }
  return { bytes, files };
}

// --- 1. install both of each language into folders of their own -----------------------------
const at = {};
for (const name of ['node/ours', 'node/anchor', 'python/ours', 'python/anchor', 'go']) {
  at[name] = join(work, name);
  mkdirSync(at[name], { recursive: true });
}
const [packed] = JSON.parse(
  fetched('npm', ['pack', '--json', '--pack-destination', work], join(root, 'sdk-node')),
);
fetched('npm', [
  'install',
  '--silent',
  '--no-audit',
  '--no-fund',
  '--prefix',
  at['node/ours'],
  join(work, packed.filename),
]);
fetched('npm', [
  'install',
  '--silent',
  '--no-audit',
  '--no-fund',
  '--prefix',
  at['node/anchor'],
  anchors.node,
]);
const pip = (target, ...what) =>
  fetched(pipPython, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-compile',
    '--disable-pip-version-check',
    '--target',
    target,
    ...what,
  ]);
pip(at['python/ours'], '--no-build-isolation', '--no-deps', join(root, 'sdk-python'));
pip(at['python/anchor'], anchors.python);

for (const [sdk, folder] of [
  ['node', 'node_modules'],
  ['python', '.'],
]) {
  const [own, other] = ['ours', 'anchor'].map((which) => size(join(at[`${sdk}/${which}`], folder)));
  const most = sdk === 'node' ? 400 : 1000;
  figure(
    sdk,
    'installed',
    'KB',
    round(own.bytes / 1000),
    round(other.bytes / 1000),
    `at most ${most}`,
    own.bytes <= most * 1000,
  );
  figure(sdk, 'files', '', own.files, other.files, 'at most 120', own.files <= 120);
}

// --- 2. imports: spawned in turns, so that a busy moment meets all of them ------------------
function imports(commands) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let n = -1; n < rounds; n++)
    for (const [name, [command, args, more]] of Object.entries(commands)) {
      const start = process.hrtime.bigint();
      execFileSync(command, args, { cwd: work, env: env(more), stdio: 'ignore' });
      if (n >= 0) times[name].push(Number(process.hrtime.bigint() - start) / 1e6);
    }
  const medians = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
  return Object.fromEntries(Object.entries(medians).map(([name, ms]) => [name, round(ms - medians.bare)]));
}
for (const [what, code] of [
  ['require', (name) => `require('${name}')`],
  ['import', (name) => `import('${name}')`],
]) {
  const own = ['-e', code('@nightbell/node')];
  // A module is found from where a program lies.
  const file = (which, name) => {
    const path = join(at[`node/${which}`], `${what}.${what === 'require' ? 'cjs' : 'mjs'}`);
    writeFileSync(path, what === 'require' ? own[1].replace('@nightbell/node', name) : `import '${name}';`);
    return ['node', [path]];
  };
  const bare = join(work, `bare.${what === 'require' ? 'cjs' : 'mjs'}`);
  writeFileSync(bare, '');
  const cost = imports({
    bare: ['node', [bare]],
    ours: file('ours', '@nightbell/node'),
    anchor: file('anchor', '@sentry/node'),
  });
  figure(
    'node',
    `${what}, beyond bare node`,
    'ms',
    cost.ours,
    cost.anchor,
    'a tenth of the anchor',
    cost.ours <= cost.anchor / 10,
  );
}
const cached = (which) => ({ PYTHONPATH: at[`python/${which}`], PYTHONPYCACHEPREFIX: join(work, 'pyc') });
const imported = imports({
  bare: [python, ['-c', 'pass'], cached('ours')],
  trio: [python, ['-c', 'import json, threading, contextvars'], cached('ours')],
  ours: [python, ['-c', 'import nightbell'], cached('ours')],
  anchor: [python, ['-c', 'import sentry_sdk'], cached('anchor')],
});
figure(
  'python',
  'import, beyond bare python',
  'ms',
  imported.ours,
  imported.anchor,
  `1.6 times json, threading and contextvars (${imported.trio})`,
  imported.ours <= 1.6 * imported.trio,
);

// --- 3. captures ----------------------------------------------------------------------------
function captures(command) {
  const runs = { ours: [], anchor: [] };
  for (let n = 0; n < perCapture; n++)
    for (const which of ['ours', 'anchor']) runs[which].push(JSON.parse(command(which)));
  const middle = (which, field) => median(runs[which].map((found) => found[field]));
  return {
    ours: round(middle('ours', 'us'), 2),
    anchor: round(middle('anchor', 'us'), 2),
    reference: round(middle('ours', 'reference_us'), 2),
    allocs: runs.ours[0].allocs,
    bytes: runs.ours[0].bytes,
    anchorAllocs: runs.anchor[0].allocs,
    anchorBytes: runs.anchor[0].bytes,
  };
}
const goAt = at.go;
function goModule(name, ...sources) {
  const folder = join(goAt, name);
  mkdirSync(folder, { recursive: true });
  for (const source of sources) copyFileSync(join(programs, source), join(folder, 'main.go'));
  run('go', ['mod', 'init', `bench/${name}`], { cwd: folder });
  if (name.startsWith('ours')) {
    const core = 'github.com/nightbell/nightbell/sdk-go';
    run('go', ['mod', 'edit', `-require=${core}@v0.0.0`, `-replace=${core}=${join(root, 'sdk-go')}`], {
      cwd: folder,
    });
  }
  if (name.startsWith('anchor')) fetched('go', ['get', anchors.go], folder);
  fetched('go', ['mod', 'tidy'], folder);
  run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', 'program', '.'], { cwd: folder });
  return join(folder, 'program');
}
const goProgram = { ours: goModule('ours', 'ours.go.txt'), anchor: goModule('anchor', 'anchor.go.txt') };

const costs = {
  node: captures((which) => run('node', [join(programs, 'capture.mjs'), which, at[`node/${which}`]])),
  python: captures((which) => run(python, [join(programs, 'capture.py'), which], { more: cached(which) })),
  go: captures((which) => run(goProgram[which], ['capture'])),
};
for (const [sdk, times] of [
  ['node', 4],
  ['python', 10],
  ['go', 3],
])
  figure(
    sdk,
    `a capture (stack alone: ${costs[sdk].reference})`,
    'us',
    costs[sdk].ours,
    costs[sdk].anchor,
    `${times} times under the anchor`,
    costs[sdk].ours * times <= costs[sdk].anchor,
  );
figure(
  'go',
  'allocations of a capture',
  '',
  costs.go.allocs,
  costs.go.anchorAllocs,
  'at most 6',
  costs.go.allocs <= 6,
);
figure(
  'go',
  'allocated by a capture',
  'B',
  costs.go.bytes,
  costs.go.anchorBytes,
  'at most 1,000',
  costs.go.bytes <= 1000,
);

// --- 4. bundle and binary -------------------------------------------------------------------
const { build } = createRequire(join(root, 'sdk-node/'))('esbuild');
const bundles = {};
for (const [which, name] of [
  ['ours', '@nightbell/node'],
  ['anchor', '@sentry/node'],
]) {
  const stdin = { contents: `export * from '${name}'`, resolveDir: at[`node/${which}`] };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'error',
  });
  const [{ contents }] = outputFiles;
  bundles[which] = { kb: round(contents.length / 1000), gz: round(zlib.gzipSync(contents).length / 1000) };
}
figure('node', 'bundle', 'kB', bundles.ours.kb, bundles.anchor.kb, 'at most 36', bundles.ours.kb <= 36);
figure('node', 'bundle, gzip', 'kB', bundles.ours.gz, bundles.anchor.gz, 'at most 12', bundles.ours.gz <= 12);
const [base, own, other] = [
  ['base', 'base.go.txt'],
  ['ours-size', 'ours-size.go.txt'],
  ['anchor-size', 'anchor-size.go.txt'],
].map(([name, source]) => statSync(goModule(name, source)).size);
const kib = (bytes) => round((bytes - base) / 1024, 0);
figure(
  'go',
  'binary, beyond one that sends JSON',
  'KiB',
  kib(own),
  kib(other),
  'at most 250',
  kib(own) <= 250,
);
const required = (name) =>
  readFileSync(join(goAt, name, 'go.sum'), { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter(Boolean).length;
figure('go', 'lines of go.sum', '', required('ours'), required('anchor'), '0', required('ours') === 0);

// --- 5. a burst of 1,000 to a server that takes 200 ms ----------------------------------------
const unpack = { gzip: zlib.gunzipSync, deflate: zlib.inflateSync, br: zlib.brotliDecompressSync };
async function burst(command, args, options) {
  let arrived = 0;
  let posts = 0;
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      posts += 1;
      const raw = Buffer.concat(parts);
      const text = (unpack[request.headers['content-encoding']] ?? ((body) => body))(raw).toString();
      setTimeout(() => response.end(accept(request.url, text)), latency);
    });
  });
  function accept(url, text) {
    if (url.includes('/envelope/')) {
      arrived += text
        .split('\n')
        .filter(
          (line) => /^\{"type":\s*"event"|^\{.*"type":\s*"event"[,}]/.test(line) && line.length < 200,
        ).length;
      return '{}';
    }
    const body = JSON.parse(text);
    const events = body.events ?? [body];
    for (const event of events) arrived += event.count ?? 1;
    const results = events.map(({ id }) => ({ event_id: id, status: 'created' }));
    return JSON.stringify(body.events ? { results } : { event_id: body.id, status: 'created' });
  }
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  await promisify(execFile)(command, [...args, url], { cwd: work, env: env(options) }).catch(() => undefined);
  server.closeAllConnections();
  server.close();
  return { arrived, posts };
}
for (const sdk of ['node', 'python', 'go']) {
  const found = {};
  for (const which of ['ours', 'anchor'])
    found[which] =
      sdk === 'node'
        ? await burst('node', [join(programs, 'burst.mjs'), which, at[`node/${which}`]])
        : sdk === 'python'
          ? await burst(python, [join(programs, 'burst.py'), which], cached(which))
          : await burst(goProgram[which], ['burst']);
  figure(
    sdk,
    'of 1,000 in a burst arrive',
    '',
    found.ours.arrived,
    found.anchor.arrived,
    'at least 999',
    found.ours.arrived >= 999 && found.ours.arrived <= 1000,
  );
  figure(
    sdk,
    'requests for them',
    '',
    found.ours.posts,
    found.anchor.posts,
    'at most 12',
    found.ours.posts <= 12,
  );
}

const missed = figures.filter(({ met }) => met === false);
writeFileSync(
  join(root, 'docs-mdx/bench/sdk.json'),
  `${JSON.stringify({ at: new Date().toISOString(), node: process.version, anchors, figures }, null, 2)}\n`,
);
console.log(missed.length ? `${missed.length} bars missed` : 'every bar holds');
process.exitCode = missed.length ? 1 : 0;
