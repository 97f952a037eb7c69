import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts React to sleep on the public pages: the browser reads the HTML and a small script, and React Router's own
 * script does not run, nor is anything of it fetched, until that one wakes it (app/features/landing/front.ts).
 */
export async function putToSleep(client: string): Promise<void> {
  const pages = (await readdir(client, { recursive: true })).filter((name) => name.endsWith('.html'));
  for (const page of pages) {
    const html = await readFile(join(client, page), 'utf8');
    if (html.includes('src="/assets/front-')) await writeFile(join(client, page), asleep(html));
  }
}

/** One page, asleep. A page that is not as React Router writes it fails the build. */
export function asleep(html: string): string {
  const preload = [...html.matchAll(/<link rel="modulepreload" href="([^"]+)"\/>/g)];
  const scripts = html.split('<script type="module" async="">');
  if (scripts.length !== 2 || preload.length === 0)
    throw new Error("React Router's script was not found in a page that is to sleep.");
  const list = preload.map(([, href]) => href).join(' ');
  return preload.reduce(
    (page, [link]) => page.replace(link, ''),
    scripts.join(`<script type="asleep" data-preload="${list}">`),
  );
}
