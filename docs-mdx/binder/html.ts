import type { Element, ElementContent, Nodes as Hast, Properties } from 'hast';
import { toHtml } from 'hast-util-to-html';
import type { Code, Nodes } from 'mdast';
import { type State, toHast } from 'mdast-util-to-hast';
import { visit } from 'unist-util-visit';
import { highlight } from './highlight';
import { attributes, type Bound } from './render';
import type { Snippet } from './snippet';

type Marked = Snippet & { id: string; title?: string; label?: string };

/** The body of a page as HTML that needs no script. `sprite` is where the icons lie. */
export async function toPage(bound: Bound, sprite: string): Promise<string> {
  const numbers = { section: 0, tabs: 0, tables: 0 };
  const hast = toHast(bound.tree, {
    allowDangerousHtml: true,
    handlers: {
      code: (_: State, node: Code) => block(node, sprite),
      heading: (state: State, node: Extract<Nodes, { type: 'heading' }>) => {
        const id = String((node.data as { hProperties?: { id?: string } })?.hProperties?.id ?? '');
        const children = state.all(node) as ElementContent[];
        if (node.depth === 2 && bound.source.numbered) numbers.section++;
        const step =
          node.depth === 2 && bound.source.numbered
            ? [h('span', { dataStep: true, ariaHidden: 'true' }, `${numbers.section}`)]
            : [];
        const hash = h(
          'a',
          {
            href: `#${id}`,
            dataHash: true,
            dataPagefindIgnore: true,
            ariaLabel: `Link to ${words(children)}`,
          },
          '#',
        );
        return h(`h${node.depth}`, { id }, ...step, ...children, ...(node.depth <= 3 ? [hash] : []));
      },
      table: (state: State, node: Extract<Nodes, { type: 'table' }>) => {
        const made = defaultTable(state, node);
        return h(
          'div',
          { dataBlock: 'table', tabIndex: 0, role: 'region', ariaLabel: `Table ${++numbers.tables}` },
          made,
        );
      },
      mdxJsxFlowElement: (state: State, node: never) => component(state, node, numbers, sprite),
      mdxJsxTextElement: (state: State, node: never) => component(state, node, numbers, sprite),
      mdxFlowExpression: () => undefined,
      mdxTextExpression: () => undefined,
      mdxjsEsm: () => undefined,
    } as never,
  });
  await paint(hast);
  return toHtml(hast, { allowDangerousHtml: true });
}

/** An element, for those who write many. */
export function h(
  tagName: string,
  properties: Properties,
  ...children: (ElementContent | string)[]
): Element {
  return {
    type: 'element',
    tagName,
    properties,
    children: children.map((child) => (typeof child === 'string' ? { type: 'text', value: child } : child)),
  };
}

function block(node: Code, sprite: string): Element {
  const marked = (node.data as { snippet?: Marked } | undefined)?.snippet;
  const title = marked?.title ?? (marked ? marked.file.split('/').at(-1) : 'Output');
  const header = h('header', { dataPagefindIgnore: true }, h('span', { dataFile: true }, title ?? ''));
  if (marked) {
    header.children.push(
      h(
        'a',
        {
          dataRan: true,
          href: `/docs/tested#${anchorOf(marked.file)}`,
          title: `${marked.file}: ${marked.proof.test}, by ${marked.proof.run}`,
        },
        icon('check', sprite),
        h('span', {}, marked.proof.word),
      ),
      copyButton(sprite),
    );
  }
  const pre = h(
    'pre',
    { tabIndex: 0 },
    { ...h('code', {}, node.value), data: { language: node.lang ?? 'text' } as never },
  );
  return h(
    'figure',
    {
      dataBlock: 'code',
      ...(marked ? { id: marked.id, dataFrom: marked.label ?? marked.file } : { dataOutput: true }),
    },
    header,
    pre,
  );
}

/** The anchor of a file in the table of everything tested. */
export function anchorOf(file: string): string {
  return file.replace(/[^\w]+/g, '-').toLowerCase();
}

function copyButton(sprite: string, label = 'Copy'): Element {
  return h(
    'button',
    { type: 'button', dataCopy: true, hidden: true },
    icon('copy', sprite),
    h('span', {}, label),
  );
}

function icon(name: string, sprite: string): Element {
  return h('svg', { dataIcon: true, ariaHidden: 'true' }, h('use', { href: `${sprite}#${name}` }));
}

function component(
  state: State,
  node: never,
  numbers: { tabs: number },
  sprite: string,
): Element | undefined {
  const jsx = node as { name: string; attributes: never[]; type: string };
  const given = attributes(jsx);
  const children = state.all(node) as ElementContent[];
  const elements = children.filter((child) => child.type === 'element');
  switch (jsx.name) {
    case 'Note':
    case 'Careful':
      return h(
        'div',
        { dataBlock: 'say', role: 'note', dataCareful: jsx.name === 'Careful' || undefined },
        h('b', {}, given.title ?? jsx.name),
        ...children,
      );
    case 'Tabs':
      return tabs(elements, numbers, given.kind ?? 'language');
    case 'Cards':
      return h('div', { dataBlock: 'cards', dataColumns: given.columns ?? '2' }, ...children);
    case 'Card': {
      const head = h(
        'div',
        { dataCardHead: true },
        h('a', { href: given.href ?? '#' }, ...named(given.title ?? '')),
        ...(given.badge ? [h('span', { dataBadge: true }, given.badge)] : []),
        ...(given.meta ? [h('span', { dataMeta: true }, given.meta)] : []),
      );
      return h('div', { dataCard: true, id: given.id }, head, ...children);
    }
    case 'Buttons':
      return buttons(elements);
    case 'Checks':
      return h('div', { dataBlock: 'checks' }, ...children);
    case 'Copyable':
      for (const child of elements) copyable(child, sprite);
      return h('div', { dataBlock: 'copyable' }, ...children);
    case 'Split':
      return h('div', { dataBlock: 'split' }, ...children);
    case 'Part':
      return h('div', { dataPart: given.name ?? true, id: given.id }, ...children);
    case 'Waiting':
      return h(
        'div',
        { dataBlock: 'waiting', role: 'status', hidden: true },
        h('span', {}, 'Waiting for your first event'),
      );
    default:
      throw new Error(`There is no component <${jsx.name}>.`);
  }
}

/** A link called Go tells nobody who hears it alone where it leads. */
function named(title: string): (ElementContent | string)[] {
  return title === 'Go' ? [title, h('span', { className: ['visually-hidden'] }, ' language')] : [title];
}

/** Tabs are radio buttons, so that they work without a script. Each is named after its block. */
function tabs(blocks: Element[], numbers: { tabs: number }, kind: string): Element {
  const name = `tabs-${++numbers.tabs}`;
  const labels = blocks.map((one, n) => {
    const header = one.children[0] as Element;
    const title = words([header.children[0] as ElementContent]);
    one.properties = { ...one.properties, dataPanel: String(n) };
    // The tab has the name; the header says which file it is.
    const from = String(one.properties.dataFrom ?? '');
    const file = from.includes(' /') ? from : from.split('/').at(-1);
    if (file) header.children[0] = h('span', { dataFile: true }, file);
    return h(
      'label',
      {},
      h('input', { type: 'radio', name, value: title, checked: n === 0, dataK: String(n) }),
      title,
    );
  });
  return h(
    'div',
    { dataBlock: 'tabs', dataKind: kind },
    h('div', { dataTabs: true, role: 'radiogroup', ariaLabel: `Shown as ${numbers.tabs}` }, ...labels),
    ...blocks,
  );
}

/** The links of a paragraph or a list as buttons, the first one before the others. */
function buttons(elements: Element[]): Element {
  const links: Element[] = [];
  visit({ type: 'root', children: elements }, 'element', (one: Element) => {
    if (one.tagName !== 'a') return;
    const out = one.properties.title === 'new tab';
    links.push({
      ...one,
      properties: {
        href: one.properties.href,
        dataButton: links.length === 0 ? 'primary' : 'plain',
        ...(out ? { target: '_blank', rel: ['noopener'] } : {}),
      },
    });
  });
  return h('div', { dataBlock: 'buttons' }, ...links);
}

/** The words in code of the first column get a button that copies them. */
function copyable(table: Element, sprite: string): void {
  visit(table, 'element', (row: Element) => {
    if (row.tagName !== 'tr') return;
    const first = row.children.find((cell) => cell.type === 'element') as Element | undefined;
    const code = first?.children.find((child) => child.type === 'element' && child.tagName === 'code') as
      | Element
      | undefined;
    if (!first || !code || first.tagName !== 'td') return;
    const word = words(code.children);
    first.children.push({
      ...copyButton(sprite, `Copy ${word}`),
      properties: { type: 'button', dataCopy: word, hidden: true, dataSmall: true },
    });
  });
}

function defaultTable(state: State, node: Extract<Nodes, { type: 'table' }>): Element {
  const [head, ...rows] = node.children;
  const titles = head?.children.map((cell) => words(state.all(cell) as ElementContent[])) ?? [];
  const line = (row: typeof head, tag: 'th' | 'td') =>
    h(
      'tr',
      {},
      ...(row?.children ?? []).map((cell, n) =>
        h(
          tag,
          tag === 'th' ? { scope: 'col' } : { dataLabel: titles[n] },
          ...(state.all(cell) as ElementContent[]),
        ),
      ),
    );
  return h(
    'table',
    {},
    h('thead', {}, line(head, 'th')),
    h('tbody', {}, ...rows.map((row) => line(row, 'td'))),
  );
}

function words(nodes: ElementContent[]): string {
  return nodes
    .map((node) => (node.type === 'text' ? node.value : node.type === 'element' ? words(node.children) : ''))
    .join('');
}

async function paint(tree: Hast): Promise<void> {
  const found: Element[] = [];
  visit(tree, 'element', (node: Element) => {
    if (node.tagName === 'code' && (node.data as { language?: string } | undefined)?.language)
      found.push(node);
  });
  for (const node of found)
    node.children = await highlight(
      words(node.children),
      (node.data as { language?: string }).language ?? 'text',
    );
}
