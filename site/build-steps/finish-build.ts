import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuildManifest } from '@react-router/dev/config';
import { finishDocs } from './docs';
import { putToSleep } from './front';
import { brokenLinks } from './links';
import { routePatterns } from './route-patterns';
import { overweight } from './weights';

const compressible = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.md', '.webmanifest']);

/**
 * Turns React Router's output into what the server embeds: `404.html`, `_routes.json` with the
 * patterns that exist (everything else is a 404), what belongs to the documentation, and a `.br`
 * and `.gz` beside every text file. A link that leads nowhere fails the build, and so does
 * a page that is too heavy.
 */
export async function finishBuild(client: string, manifest: BuildManifest | undefined): Promise<void> {
  if (!manifest) throw new Error('The build has no route manifest, so _routes.json cannot be written.');
  await rename(join(client, '404', 'index.html'), join(client, '404.html'));
  await rm(join(client, '404'), { recursive: true });
  const routes = { routes: routePatterns(Object.values(manifest.routes)) };
  await writeFile(join(client, '_routes.json'), `${JSON.stringify(routes, null, 2)}\n`);
  await finishDocs(client);
  await putToSleep(client);
  const broken = await brokenLinks(client, routes.routes);
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join('\n')}`);
  const heavy = await overweight(client);
  if (heavy.length > 0) throw new Error(`Too heavy:\n${heavy.join('\n')}`);
  await compressTree(client);
}

async function compressTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && compressible.has(extname(entry.name)));
  await Promise.all(files.map((entry) => compressFile(join(entry.parentPath, entry.name))));
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path);
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}
