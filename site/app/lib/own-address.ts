import { paths } from './paths';

/** What an address of this site, written whole or not, is here: its path, query and hash. Null for one of somebody else. */
export function ownPath(address: string): string | null {
  try {
    const { origin, pathname, search, hash } = new URL(address, location.href);
    return origin === location.origin ? `${pathname}${search}${hash}` : null;
  } catch {
    return null;
  }
}

const sections = new Set(Object.values(paths).flatMap((to) => (typeof to === 'string' ? sectionOf(to) : [])));

/** Whether the router knows the page. The documentation, files and links of messages are documents of the server. */
export function isPage(path: string): boolean {
  return sectionOf(path) !== 'docs' && sections.has(sectionOf(path));
}

function sectionOf(path: string): string {
  return path.split(/[/?#]/)[1] ?? '';
}
