import { reading } from '~/lib/give-way';
import { pause } from '~/lib/pause';

/** What React Router knows of a route's files. */
interface RouteFiles {
  parentId?: string;
  module: string;
  clientLoaderModule?: string;
  imports?: readonly string[];
  css?: readonly string[];
}

declare global {
  interface Window {
    __reactRouterManifest?: { routes: Readonly<Record<string, RouteFiles>> };
  }
}

// Where somebody goes who was just paged.
const urgent = ['routes/incidents', 'routes/incident'];
const rest = 3000;
const patience = 30_000;

/**
 * Puts the files of all signed-in pages into the browser's cache: those of incidents at once, the others once the
 * page rests. When React Router cannot fetch one it loads the document again: without a network that is an error
 * page, and what was typed is lost.
 */
export async function fetchPages(): Promise<void> {
  const pages = Object.entries(window.__reactRouterManifest?.routes ?? {}).filter(
    ([, { parentId }]) => parentId === 'routes/signed-in',
  );
  const fetched = new Set<string>();
  await fetchAll(pages.filter(([id]) => urgent.includes(id)).flatMap(filesOf), fetched);
  keepStyles(fetched);
  await pause(rest);
  await fetchAll(pages.flatMap(filesOf), fetched);
}

// React Router takes the style sheets of a page away with it. Back scrolls to its place before they are there
// again, and would miss it on a list that is laid out without them.
function keepStyles(files: ReadonlySet<string>): void {
  for (const href of files)
    if (href.endsWith('.css'))
      document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
}

function filesOf([, { module, clientLoaderModule, imports = [], css = [] }]: [string, RouteFiles]) {
  return [module, clientLoaderModule ?? [], imports, css].flat();
}

// One after the other, and giving way as reads do: nobody waits for them. An answer is kept once its body
// was read; what fails is fetched by whoever goes there.
async function fetchAll(files: readonly string[], fetched: Set<string>): Promise<void> {
  for (const file of files) {
    if (fetched.has(file)) continue;
    fetched.add(file);
    await reading(
      (signal) => fetch(file, { priority: 'low', signal }).then((answer) => answer.blob()),
      AbortSignal.timeout(patience),
    ).catch(() => undefined);
  }
}
