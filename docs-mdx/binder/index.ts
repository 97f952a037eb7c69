import { provide } from './generated';
import { toPage } from './html';
import { toIndex, toMarkdown } from './plain';
import { type Bound, bind } from './render';
import { onTheWeb, read } from './repository';
import { type Shelf, shelves } from './shelves';
import type { Proofs } from './snippet';
import { type Choice, sources } from './sources';

export { DocsFault } from './fault';
export type { Bound } from './render';
export { root } from './repository';

/** A page as the site draws it. */
export interface DocsPage {
  url: string;
  title: string;
  description: string;
  html: string;
  wide: boolean;
  confirm: 'tick' | 'toast';
  toc: { id: string; title: string }[];
  crumbs: string[];
  choices: Choice[];
  chosen: string | undefined;
  edit: string;
  previous: Neighbour | undefined;
  next: Neighbour | undefined;
  tree: { title: string; pages: Neighbour[] }[];
}

/** Another page, by the name that the tree calls it. */
export interface Neighbour {
  url: string;
  name: string;
}

interface Book {
  pages: Bound[];
  byUrl: Map<string, Bound>;
}

let book: Book | undefined;

/** Binds every page once; `fresh` reads the files again, for whoever is writing them. */
export function open({ fresh = false } = {}): Book {
  if (book && !fresh) return book;
  const proofs: Proofs = JSON.parse(read('docs-mdx/tested.json'));
  const all = sources();
  provide({ pages: [], sources: all });
  const first = all.map((source) => bind(source, proofs, all));
  // The table of everything tested is made of what the other pages show.
  provide({ pages: first, sources: all });
  const pages = first.map((one) => (one.source.url === '/docs/tested' ? bind(one.source, proofs, all) : one));
  book = { pages, byUrl: new Map(pages.map((page) => [page.source.url, page])) };
  return book;
}

/** The addresses of all pages. */
export function urls(): string[] {
  return open().pages.map((page) => page.source.url);
}

/** A page drawn, or nothing where there is none. */
export async function page(
  url: string,
  sprite: string,
  options?: { fresh?: boolean },
): Promise<DocsPage | undefined> {
  const { byUrl } = open(options);
  const bound = byUrl.get(url);
  if (!bound) return undefined;
  const { source } = bound;
  const order = shelves.flatMap((shelf) =>
    shelf.pages.map((one) => ({ url: one.url, name: nameOf(one, byUrl) })),
  );
  const home = source.chosen ? (source.choices[0]?.url ?? url) : url;
  const at = order.findIndex((one) => one.url === home);
  const shelf = shelves.find((one) => one.pages.some((page) => page.url === home));
  return {
    url,
    title: source.title,
    description: source.description,
    html: await toPage(bound, sprite),
    wide: source.wide,
    confirm: source.confirm,
    toc: bound.toc,
    crumbs: [shelf?.title ?? 'Docs', ...(source.chosen ? [nameOf({ url: home }, byUrl)] : [])],
    choices: source.choices,
    chosen: source.chosen,
    edit: onTheWeb(source.file).replace('/blob/', '/edit/'),
    previous: order[at - 1],
    next: order[at + 1],
    // The shelf that is unfolded for this page comes first: at the end of the tree nobody would see it.
    tree: [...shelves]
      .sort((a, b) => Number(isOpen(b, shelf)) - Number(isOpen(a, shelf)))
      .map((one) => {
        const shown = one.folded && one !== shelf ? one.pages.slice(0, 1) : one.pages;
        return {
          title: one.title,
          pages: shown.map((page) => ({ url: page.url, name: nameOf(page, byUrl) })),
        };
      }),
  };
}

/** What is written beside the pages: each one's Markdown, and the index of them. */
export function texts(): { path: string; text: string }[] {
  const { pages, byUrl } = open();
  const index = shelves.map((shelf) => ({
    title: shelf.title,
    pages: shelf.pages.map(({ url }) => {
      const found = byUrl.get(url);
      return { url, title: found?.source.title ?? '', description: found?.source.description ?? '' };
    }),
  }));
  return [
    ...pages.map((bound) => ({ path: `${bound.source.url}.md`, text: toMarkdown(bound) })),
    { path: '/llms.txt', text: toIndex(index) },
  ];
}

function isOpen(one: Shelf, shelf: Shelf | undefined): boolean {
  return one === shelf && one.folded === true;
}

function nameOf(page: { url: string; name?: string }, byUrl: Book['byUrl']): string {
  return page.name ?? byUrl.get(page.url)?.source.name ?? page.url;
}
