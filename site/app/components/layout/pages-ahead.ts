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

const rest = 3000;
const patience = 30_000;

/**
 * Puts the files of all signed-in pages into the browser's cache once the page rests. When React Router
 * cannot fetch one it loads the document anew: without a network that is an error page, and what was typed is lost.
 */
export async function fetchPages(): Promise<void> {
  await pause(rest);
  const routes = Object.values(window.__reactRouterManifest?.routes ?? {});
  const files = routes
    .filter(({ parentId }) => parentId === 'routes/signed-in')
    .flatMap(({ module, clientLoaderModule, imports = [], css = [] }) => [
      module,
      clientLoaderModule ?? [],
      imports,
      css,
    ])
    .flat();
  // One after the other, and giving way as reads do: nobody waits for them. An answer is kept once its body
  // was read; what fails is fetched by whoever goes there.
  for (const file of new Set(files))
    await reading(
      (signal) => fetch(file, { priority: 'low', signal }).then((answer) => answer.blob()),
      AbortSignal.timeout(patience),
    ).catch(() => undefined);
}
