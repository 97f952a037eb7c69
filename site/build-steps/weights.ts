import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

interface Part {
  module: string;
  imports?: readonly string[];
}

/** What React Router tells the browser of itself: which files each route needs. */
export interface Manifest {
  entry: Part;
  routes: Readonly<Record<string, Part & { id: string; parentId?: string; clientLoaderModule?: string }>>;
}

/** kB of gzip: the landing page as it is read, and what comes when a button needs it, of which 108 are React, React DOM and React Router. */
const limits = { landing: 5, pressed: 128, workspace: 45, page: 15 };

/** Every part of the built site that sends more JavaScript than it may, as sentences. */
export async function overweight(client: string): Promise<string[]> {
  const files = (await readdir(join(client, 'assets'))).filter((name) => name.endsWith('.js'));
  const sizes = new Map<string, number>();
  for (const name of files) {
    const text = await readFile(join(client, 'assets', name));
    sizes.set(`/assets/${name}`, (await promisify(gzip)(text, { level: 9 })).length);
  }
  const name = files.find((file) => file.startsWith('manifest-')) ?? '';
  const text = await readFile(join(client, 'assets', name), 'utf8');
  const manifest = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Manifest;
  return faults(manifest, sizes, sizes.get(`/assets/${name}`) ?? 0);
}

/** The rule of it: what the landing page sends as it is read and once it is pressed, the workspace beyond that, and each of its pages beyond both. */
export function faults(manifest: Manifest, sizes: ReadonlyMap<string, number>, ownSize: number): string[] {
  const filesOf = ({ module, imports = [], clientLoaderModule }: Part & { clientLoaderModule?: string }) => [
    module,
    ...imports,
    ...(clientLoaderModule ? [clientLoaderModule] : []),
  ];
  const of = (id: string) => (manifest.routes[id] ? filesOf(manifest.routes[id]) : []);
  const weight = (files: readonly string[], known: readonly string[]) =>
    [...new Set(files)]
      .filter((file) => !known.includes(file))
      .reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0) / 1000;
  const said: string[] = [];
  const hold = (what: string, kB: number, most: number) => {
    if (kB > most) said.push(`${what} sends ${kB.toFixed(1)} kB of JavaScript; at most ${most} is allowed`);
  };
  const base = [...filesOf(manifest.entry), ...of('root')];
  const workspace = [...base, ...of('routes/signed-in')];
  const front = [...sizes.keys()].filter((file) => file.startsWith('/assets/front-'));
  hold('The landing page', weight(front, []), limits.landing);
  const pressed = weight([...base, ...of('routes/landing')], []) + ownSize / 1000;
  hold('A button of the landing page', pressed, limits.pressed);
  hold('The workspace', weight(workspace, base), limits.workspace);
  for (const { id } of Object.values(manifest.routes)) {
    const chain: string[] = [];
    for (let at: string | undefined = id; at; at = manifest.routes[at]?.parentId) chain.push(at);
    if (!chain.includes('routes/signed-in')) continue;
    hold(id, weight(chain.flatMap(of), workspace), limits.page);
  }
  return said;
}
