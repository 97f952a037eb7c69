import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { DocsFault } from './fault';
import { tags } from './generated/openapi';
import { exists, read, root } from './repository';
import { shelves } from './shelves';

/** A page before it is rendered. */
export interface Source {
  url: string;
  /** Where it is written, from the root of the repository. */
  file: string;
  title: string;
  /** What the tree calls it. */
  name: string;
  description: string;
  /** MDX with `{...}` and components, or the Markdown that operators also read in the repository. */
  mdx: boolean;
  text: string;
  /** `home` has neither tree nor contents. */
  wide: boolean;
  /** Sections are steps. */
  numbered: boolean;
  /** What a copy button says for two seconds: a tick, or a toast as well. */
  confirm: 'tick' | 'toast';
  /** The frameworks of a platform, each with its own address. */
  choices: Choice[];
  chosen: string | undefined;
}

/** One of the frameworks that a guide is written for. */
export interface Choice {
  slug: string;
  name: string;
  url: string;
}

interface Front {
  title?: string;
  name?: string;
  description?: string;
  wide?: boolean;
  numbered?: boolean;
  confirm?: 'tick' | 'toast';
  frameworks?: Record<string, string>[];
}

/** Every page, in the order of the shelves. */
export function sources(): Source[] {
  const mdx = mdxFiles().flatMap(fromMdx);
  const markdown = shelves.flatMap((shelf) =>
    shelf.pages.flatMap((page) => (page.from ? [fromMarkdown(page.url, page.from)] : [])),
  );
  const all = [...mdx, ...markdown, ...tags().map(fromTag)];
  const order = shelves.flatMap((shelf) => shelf.pages.map((page) => page.url));
  for (const url of order)
    if (!all.some((page) => page.url === url))
      throw new DocsFault('docs-mdx/binder/shelves.ts', 1, `there is no page ${url}`);
  for (const page of all)
    if (!page.chosen && !order.includes(page.url))
      throw new DocsFault(page.file, 1, `no shelf of docs-mdx/binder/shelves.ts holds ${page.url}`);
  const rank = (page: Source) => order.indexOf(page.choices[0]?.url ?? page.url);
  return all.sort((a, b) => rank(a) - rank(b) || a.url.length - b.url.length);
}

function mdxFiles(): string[] {
  const folder = 'docs-mdx/content';
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.mdx'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

function fromMdx(file: string): Source[] {
  const written = read(file);
  const matter = /^---\n([\s\S]*?)\n---\n/.exec(written);
  const front: Front = parse(matter?.[1] ?? '') ?? {};
  // As many empty lines as it had, so that faults name the right one.
  const text = written.replace(matter?.[0] ?? '', (found) => found.replace(/[^\n]/g, ''));
  const url = `/docs/${file.slice('docs-mdx/content/'.length, -'.mdx'.length)}`.replace(/\/index$/, '');
  if (!front.title || !front.description)
    throw new DocsFault(file, 1, 'a page needs a title and a description');
  const page: Source = {
    url,
    file,
    title: front.title,
    name: front.name ?? front.title,
    description: front.description,
    mdx: true,
    text,
    wide: front.wide ?? false,
    numbered: front.numbered ?? false,
    confirm: front.confirm ?? 'tick',
    choices: [],
    chosen: undefined,
  };
  const frameworks = front.frameworks ?? [];
  if (frameworks.length === 0) return [page];
  // The first framework is the platform's own page, so that its address stays short.
  const choices = frameworks.map(({ slug = '', name = '' }, n) => ({
    slug,
    name,
    url: n === 0 ? url : `${url}/${slug}`,
  }));
  return frameworks.map((framework, n) => {
    const put = (value: string) => value.replace(/%(\w+)%/g, (whole, key) => framework[key] ?? whole);
    return {
      ...page,
      url: choices[n]?.url ?? url,
      title: put(page.title),
      description: put(page.description),
      name: n === 0 ? page.name : (framework.name ?? page.name),
      text: put(page.text),
      choices,
      chosen: framework.slug,
    };
  });
}

/** A page of the API reference: the calls about one kind of thing, edited where they are declared. */
function fromTag({ name, description, url }: { name: string; description: string; url: string }): Source {
  const declared = `proto/nightbell/v1/${(url.split('/').at(-1) ?? '').replaceAll('-', '_')}_service.proto`;
  return {
    url,
    file: exists(declared) ? declared : 'api/gen/openapi/openapi.yaml',
    title: `${name} calls`,
    name,
    description: description.replaceAll('`', ''),
    mdx: true,
    text: `<Calls of="${name}" />`,
    wide: false,
    numbered: false,
    confirm: 'tick',
    choices: [],
    chosen: undefined,
  };
}

function fromMarkdown(url: string, file: string): Source {
  if (!exists(file)) throw new DocsFault('docs-mdx/binder/shelves.ts', 1, `there is no file ${file}`);
  const written = read(file).replace(/^\{\/\*.*\*\/\}\n/, '\n');
  const title = /^# (.+)$/m.exec(written)?.[1];
  if (!title) throw new DocsFault(file, 1, 'a page needs a title');
  const text = written.replace(/^# .+$/m, '');
  const first =
    text
      .split('\n\n')
      .map((part) => part.trim())
      .find((part) => /^[A-Z*[]/.test(part)) ?? title;
  const plain = first
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ');
  const description = /^.{20,300}?[.!](?=\s|$)/.exec(plain)?.[0] ?? plain.slice(0, 200);
  return {
    url,
    file,
    title,
    name: title,
    description,
    mdx: false,
    text,
    wide: false,
    numbered: false,
    confirm: 'tick',
    choices: [],
    chosen: undefined,
  };
}
