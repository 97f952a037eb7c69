import type { Code, Root, RootContent, Table } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { attributes, type Bound } from './render';

const writer = unified().use(remarkGfm).use(remarkStringify, { bullet: '-', fences: true, rule: '-' });

/** A page as Markdown for people and programs: code is in it, components are gone, links are whole. */
export function toMarkdown({ source, tree }: Bound): string {
  const body = writer.stringify({ type: 'root', children: tree.children.flatMap(plain) } as Root) as string;
  return `# ${source.title}\n\n${source.description}\n\n${body.trim()}\n`;
}

/** The index for language models: https://llmstxt.org. */
export function toIndex(
  shelves: { title: string; pages: { url: string; title: string; description: string }[] }[],
): string {
  const parts = shelves.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${page.url}.md): ${page.description}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# Nightbell\n\n> Open-source incident response and on-call: alerts in, the right person paged, until somebody acknowledges. Every block of code in these pages is taken from a file that a test executes.\n\n${parts.join('\n')}`;
}

type Any = RootContent & { children?: RootContent[]; name?: string; attributes?: never[] };

function plain(node: RootContent): RootContent[] {
  const any = node as Any;
  if (any.type === 'code') {
    const code = { ...(any as Code), meta: null };
    return [code.lang === 'output' ? { ...code, lang: 'text' } : code];
  }
  if (any.type === 'html' && /^<(!--|svg)/.test(any.value)) return [];
  if ((any.type as string).startsWith('mdxJsx')) {
    const given = attributes({ attributes: any.attributes ?? [] });
    const inner = (any.children ?? []).flatMap(plain);
    if (any.name === 'Waiting') return [];
    if (any.name === 'Card') {
      const link: RootContent = {
        type: 'paragraph',
        children: [
          { type: 'link', url: given.href ?? '', children: [{ type: 'text', value: given.title ?? '' }] },
        ],
      };
      return [link, ...inner];
    }
    return inner;
  }
  if ((any.type as string).startsWith('mdx')) return [];
  if (any.type === 'table') return [any as Table];
  if (any.children) return [{ ...any, children: any.children.flatMap(plain) } as RootContent];
  return [any];
}
