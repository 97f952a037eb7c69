// Builds dist: for ESM and CommonJS one file for each entry, and the types of both. With --js it
// builds no types, into build/, so that tests and the check of the package can run side by side.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));
const out = process.argv.includes('--js') ? 'build' : 'dist';
const entries = ['index', 'express', 'fastify', 'koa', 'nestjs', 'next', 'testing'];
const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };
const entryPoints = entries.map((entry) => `src/${entry}.ts`);

rmSync(`${root}${out}`, { recursive: true, force: true });
await Promise.all([
  build({
    ...common,
    entryPoints,
    format: 'esm',
    outdir: `${out}/esm`,
    splitting: true,
    chunkNames: 'chunk-[hash]',
  }),
  build({ ...common, entryPoints, format: 'cjs', outdir: `${out}/cjs` }),
  build({
    ...common,
    entryPoints: ['src/bin.ts'],
    format: 'esm',
    outfile: `${out}/cli.js`,
    banner: { js: '#!/usr/bin/env node' },
  }),
]);
mkdirSync(`${root}${out}/cjs`, { recursive: true });
writeFileSync(`${root}${out}/cjs/package.json`, '{ "type": "commonjs" }\n');

if (out === 'dist') {
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  execFileSync(process.execPath, [tsc, '-p', `${root}tsconfig.json`], { stdio: 'inherit' });
  // The same declarations are right for CommonJS, because dist/cjs says that it is CommonJS.
  cpSync(`${root}dist/esm`, `${root}dist/cjs`, {
    recursive: true,
    filter: (path) => !path.endsWith('.js'),
  });
}
