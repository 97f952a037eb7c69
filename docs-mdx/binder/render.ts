import type { Code, Heading, Html, Link, Nodes, Root, RootContent } from 'mdast';
import type { MdxJsxFlowElement } from 'mdast-util-mdx-jsx';
import { toString as textOf } from 'mdast-util-to-string';
import remarkGfm from 'remark-gfm';
import remarkMdx from 'remark-mdx';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { SKIP, visit } from 'unist-util-visit';
import { DocsFault } from './fault';
import { written } from './generated';
import { known } from './highlight';
import { exists, onTheWeb } from './repository';
import { type Proofs, type Snippet, snippet } from './snippet';
import type { Source } from './sources';

/** A page bound to its examples: the tree that becomes HTML and Markdown. */
export interface Bound {
  source: Source;
  tree: Root;
  toc: { id: string; title: string }[];
  snippets: (Snippet & { id: string })[];
  /** Every id that a link may name. */
  anchors: string[];
}

// What is made of the OpenAPI document is read again from the page that the server serves, and run.
const description = 'api/gen/openapi/openapi.yaml';
const executed = { test: 'TestDocsCalls', run: 'make test-sdk-server', word: 'Tested' } as const;

const mdx = unified().use(remarkParse).use(remarkGfm).use(remarkMdx);
const markdown = unified().use(remarkParse).use(remarkGfm);

/** Reads a page, takes its code from the examples, gives its headings ids and its links addresses. */
export function bind(source: Source, proofs: Proofs, pages: readonly Source[]): Bound {
  const tree = parse(source);
  const faultAt = (node: Nodes, message: string) =>
    new DocsFault(source.file, node.position?.start.line, message);
  const snippets: Bound['snippets'] = [];
  const toc: Bound['toc'] = [];
  const ids = new Set<string>();

  // 1. What is made of the server's own tables takes the place of its component.
  visit(tree, 'mdxJsxFlowElement', (node, index, parent) => {
    const make = written[node.name ?? ''];
    if (!make || !parent || index === undefined) return;
    const text = make(attributes(node));
    const made = text.startsWith('<Cards') ? mdx.parse(text) : markdown.parse(text);
    for (const child of made.children) keepLine(child, node.position?.start.line);
    visit(made, 'code', (code) => {
      code.data = { made: true } as Code['data'];
    });
    parent.children.splice(index, 1, ...(tabbed(made.children) as typeof parent.children));
    return [SKIP, index];
  });

  // 2. Operators' Markdown names the region of its block in a comment before it.
  visit(tree, 'html', (node: Html, index, parent) => {
    const named = /^<!-- region: (\S+) (\S+) -->$/.exec(node.value.trim());
    const next = index === undefined ? undefined : parent?.children[index + 1];
    if (named && next?.type === 'code') next.meta = `file=docs-mdx/${named[1]} region=${named[2]}`;
  });

  // 3. Code is what a tested file says; only what a program printed may be typed.
  visit(tree, 'code', (node: Code) => {
    if (/^\w+=/.test(node.lang ?? ''))
      Object.assign(node, { meta: `${node.lang} ${node.meta ?? ''}`, lang: null });
    const meta = node.meta ?? '';
    const file = /\bfile=(\S+)/.exec(meta)?.[1];
    const call = /\bdocument=(\S+)/.exec(meta)?.[1];
    if (call && (node.data as { made?: true } | undefined)?.made) {
      const made = {
        file: description,
        region: call,
        language: node.lang ?? 'text',
        code: node.value,
        proof: executed,
        id: `block-${snippets.length + 1}`,
      };
      snippets.push(made);
      const [title, label] = ['title', 'label'].map(
        (name) => new RegExp(`\\b${name}="([^"]+)"`).exec(meta)?.[1],
      );
      node.data = { ...node.data, snippet: { ...made, title, label } } as Code['data'];
      return;
    }
    if (!file) {
      if (node.lang === 'output') return;
      throw faultAt(
        node,
        'a block of code needs file= (and region=), or in Markdown a comment that names them; type only what a program prints, as ```output',
      );
    }
    if (node.lang && !known(node.lang)) throw faultAt(node, `the language ${node.lang} is not known`);
    const at = { page: source.file, line: node.position?.start.line };
    const found = snippet(proofs, at, {
      language: node.lang,
      file,
      region: /\bregion=(\S+)/.exec(meta)?.[1],
    });
    node.value = found.code;
    const id = `block-${snippets.length + 1}`;
    snippets.push({ ...found, id });
    node.data = {
      ...node.data,
      snippet: { ...found, id, title: /\btitle="([^"]+)"/.exec(meta)?.[1] },
    } as Code['data'];
  });

  // 4. Headings have ids; sections are what is on this page.
  visit(tree, 'heading', (node: Heading) => {
    const last = node.children.at(-1);
    const own = last?.type === 'text' ? / \[#([\w-]+)\]$/.exec(last.value) : null;
    if (own && last?.type === 'text') last.value = last.value.slice(0, own.index);
    let id = own?.[1] ?? slug(textOf(node));
    while (ids.has(id)) id = `${id}-more`;
    ids.add(id);
    node.data = { ...node.data, hProperties: { id } };
    if (node.depth === 2) toc.push({ id, title: textOf(node) });
  });

  // 5. A link to a file of the repository leads to its page, or to the file where people read it.
  const links = (node: Link) => {
    node.url = address(node.url, source, pages, (message) => faultAt(node, message));
  };
  visit(tree, 'link', links);
  visit(tree, 'definition', (node) => {
    node.url = address(node.url, source, pages, (message) => faultAt(node, message));
  });
  visit(tree, (node) => {
    if (node.type !== 'mdxJsxFlowElement' && node.type !== 'mdxJsxTextElement') return;
    for (const attribute of node.attributes) {
      if (attribute.type !== 'mdxJsxAttribute' || typeof attribute.value !== 'string') continue;
      if (attribute.name === 'href')
        attribute.value = address(attribute.value, source, pages, (message) => faultAt(node, message));
      if (attribute.name === 'id') ids.add(attribute.value);
    }
  });
  return { source, tree, toc, snippets, anchors: [...ids, ...snippets.map((one) => one.id)] };
}

/** The attributes of a component that are texts. */
export function attributes(node: Pick<MdxJsxFlowElement, 'attributes'>): Record<string, string> {
  return Object.fromEntries(
    node.attributes.flatMap((one) =>
      one.type === 'mdxJsxAttribute' ? [[one.name, typeof one.value === 'string' ? one.value : 'true']] : [],
    ),
  );
}

/** An id of a heading, as readers expect it in an address. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

function parse(source: Source): Root {
  try {
    return (source.mdx ? mdx : markdown).parse(source.text);
  } catch (problem) {
    const at = problem as { line?: number; reason?: string };
    throw new DocsFault(source.file, at.line, at.reason ?? String(problem));
  }
}

/** Blocks that follow one another show the same in several languages. */
function tabbed(nodes: readonly RootContent[]): RootContent[] {
  const all: RootContent[] = [];
  let tabs: MdxJsxFlowElement | undefined;
  for (const node of nodes) {
    if (node.type !== 'code') tabs = undefined;
    else if (!tabs) {
      tabs = {
        type: 'mdxJsxFlowElement',
        name: 'Tabs',
        attributes: [],
        children: [],
        position: node.position,
      };
      all.push(tabs as RootContent);
    }
    if (tabs) tabs.children.push(node as Code);
    else all.push(node);
  }
  return all;
}

function keepLine(node: RootContent, line: number | undefined): void {
  if (line) node.position = { start: { line, column: 1 }, end: { line, column: 1 } };
}

function address(
  url: string,
  source: Source,
  pages: readonly Source[],
  fault: (message: string) => Error,
): string {
  if (/^(https?:|mailto:|#|\/)/.test(url)) return url;
  const [path = '', hash] = url.split('#');
  const file = resolve(source.file, path);
  if (!exists(file)) throw fault(`${url} leads to ${file}, which does not exist`);
  const page = pages.find((one) => one.file === file && !one.mdx);
  const mirror = file === 'docs-mdx/errors.md' ? '/docs/errors' : page?.url;
  return `${mirror ?? onTheWeb(file)}${hash ? `#${hash}` : ''}`;
}

function resolve(from: string, to: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of to.split('/')) {
    if (part === '..') parts.pop();
    else if (part && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
