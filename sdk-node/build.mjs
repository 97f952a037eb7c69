// Builds dist: for ESM and CommonJS one small file for each entry and one for what they share, and
// the types of both. With --js it builds no types, into build/, so that tests and the check of the
// package can run side by side.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));
const out = process.argv.includes('--js') ? 'build' : 'dist';
const entries = ['index', 'express', 'fastify', 'koa', 'nestjs', 'next', 'testing', 'bin'];
const common = { absWorkingDir: root, platform: 'node', target: 'node20', logLevel: 'warning' };

rmSync(`${root}${out}`, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: entries.map((entry) => `src/${entry}.ts`),
  bundle: true,
  splitting: true,
  format: 'esm',
  minifySyntax: true,
  legalComments: 'none',
  outdir: `${out}/esm`,
  chunkNames: 'shared-[hash]',
});
// The same files as CommonJS, so that what they share is there once.
const files = readdirSync(`${root}${out}/esm`).filter((name) => name !== 'bin.js');
await build({
  ...common,
  entryPoints: files.map((name) => `${out}/esm/${name}`),
  format: 'cjs',
  outdir: `${out}/cjs`,
});
writeFileSync(`${root}${out}/cjs/package.json`, '{ "type": "commonjs" }\n');

if (out === 'dist') {
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  execFileSync(process.execPath, [tsc, '-p', `${root}tsconfig.json`], { stdio: 'inherit' });
  // The same declarations are right for CommonJS, because dist/cjs says that it is CommonJS.
  mkdirSync(`${root}dist/cjs`, { recursive: true });
  cpSync(`${root}dist/esm`, `${root}dist/cjs`, {
    recursive: true,
    filter: (path) => !path.endsWith('.js'),
  });
}
