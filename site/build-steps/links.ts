import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every link and anchor of the built pages that leads nowhere, as sentences. Addresses elsewhere are not asked. */
export async function brokenLinks(client: string, patterns: readonly string[]): Promise<string[]> {
  const files = await readdir(client, { recursive: true });
  const pages = new Map<string, string>();
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    pages.set(`/${file}`.replace(/\/?index\.html$/, '') || '/', await readFile(join(client, file), 'utf8'));
  }
  return broken(pages, new Set(files.map((file) => `/${file}`)), patterns);
}

/** The rule of it, over pages by address, files, and the routes that the browser draws. */
export function broken(
  pages: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
  patterns: readonly string[],
): string[] {
  const drawn = patterns
    .filter((one) => !one.includes('*'))
    .map((one) => new RegExp(`^${one.replace(/:\w+/g, '[^/]+')}$`));
  const served = /^\/(v1|ack)\//;
  const faults: string[] = [];
  for (const [at, html] of pages) {
    const ids = idsOf(html);
    for (const [, href = ''] of html.matchAll(/<(?:a|link)\b[^>]*\shref="([^"]*)"/g)) {
      const link = decode(href);
      if (/^(https?:|mailto:|data:)/.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      if (path && !path.startsWith('/')) faults.push(`${at}: ${link} is neither an address nor a path`);
      else if (
        path &&
        !pages.has(path) &&
        !files.has(path) &&
        !served.test(path) &&
        !drawn.some((one) => one.test(path))
      )
        faults.push(`${at}: there is no ${path}`);
      else if (
        anchor &&
        path !== '' &&
        pages.has(path) &&
        !idsOf(pages.get(path) ?? '').has(decodeURIComponent(anchor))
      )
        faults.push(`${at}: ${path} has no #${anchor}`);
      else if (anchor && path === '' && !ids.has(decodeURIComponent(anchor)))
        faults.push(`${at}: it has no #${anchor} itself`);
    }
  }
  return faults;
}

const known = new Map<string, Set<string>>();

function idsOf(html: string): Set<string> {
  let ids = known.get(html);
  if (!ids) {
    ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map((found) => decode(found[1] ?? '')));
    known.set(html, ids);
  }
  return ids;
}

function decode(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"');
}
