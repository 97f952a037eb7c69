import { describe, expect, it } from 'vitest';
import { open, page, texts, urls } from './index';
import { bind } from './render';
import { exists, read } from './repository';
import { extract, type Proofs, snippet } from './snippet';
import type { Source } from './sources';

const proofs: Proofs = JSON.parse(read('docs-mdx/tested.json'));
const trigger = 'sdk-node/examples/trigger.js';

function written(text: string): Source {
  const page = { url: '/docs/x', file: 'docs-mdx/content/x.mdx', title: 'X', name: 'X', description: 'X.' };
  return {
    ...page,
    text,
    mdx: true,
    wide: false,
    numbered: false,
    confirm: 'tick',
    choices: [],
    chosen: undefined,
  };
}

const binding = (text: string) => () => bind(written(text), proofs, []);
const fence = (meta: string, body = '') => `Text.\n\n\`\`\`${meta}\n${body}\`\`\`\n`;

describe('a page is not built', () => {
  it.each([
    [
      'of a file that does not exist',
      fence('js file=sdk-node/examples/gone.js'),
      'there is no file sdk-node/examples/gone.js',
    ],
    ['of a file outside the repository', fence('js file=../secret.js'), 'there is no file ../secret.js'],
    ['of a region that does not exist', fence(`js file=${trigger} region=gone`), 'has no region gone'],
    ['without a language', fence(` file=${trigger}`), 'names no language'],
    ['in a language that is not known', fence(`cobol file=${trigger}`), 'the language cobol is not known'],
    [
      'of an example that no test executes',
      fence('js file=sdk-node/build.mjs'),
      'no test executes sdk-node/build.mjs',
    ],
    ['with code typed by hand', fence('js', 'a();\n'), 'a block of code needs file='],
    [
      'with a link to a file that does not exist',
      'Text.\n\n[x](../../gone.md)\n',
      'gone.md, which does not exist',
    ],
  ])('%s', (_, text, message) => {
    expect(binding(text)).toThrow(/^docs-mdx\/content\/x\.mdx:3: /);
    expect(binding(text)).toThrow(message);
  });
});

it('takes a region without its indentation and without the markers inside', () => {
  const source = 'a\n  // #region one\n  b\n  // #region two\n    c\n  // #endregion\n  // #endregion\n';
  expect(extract(source, 'one')).toBe('b\n  c');
  expect(extract(source, 'two')).toBe('c');
  expect(() => extract('# region one\nb', 'one')).toThrow('does not end its region one');
});

it('is code, to the letter, in the page and in its Markdown', async () => {
  const code = extract(read(trigger), 'trigger');
  const shown = await page('/docs/sdk-usage-guide', '/icons.svg');
  const text = (shown?.html ?? '')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&#x26;', '&')
    .replaceAll('&#x3C;', '<');
  expect(text).toContain(code);
  expect(texts().find(({ path }) => path === '/docs/sdk-usage-guide.md')?.text).toContain(code);
});

describe('every block of every page', () => {
  const blocks = open().pages.flatMap(({ source, snippets }) =>
    snippets.map((one) => ({ url: source.url, ...one })),
  );

  it('comes from a file, or from the OpenAPI document', () => {
    expect(blocks.length).toBeGreaterThan(200);
    for (const block of blocks) expect(exists(block.file), `${block.url} ${block.file}`).toBe(true);
  });

  // A name in the table that no test has is a lie: the sources of the tests say which there are.
  const sources = [
    'api/internal/channel/webhook/webhook_test.go',
    'api/e2e/sdk_test.go',
    'docs-mdx/binder/webhook.test.ts',
    'api/e2e/sdk_examples_test.go',
    'api/e2e/sdk_frameworks_test.go',
    'api/e2e/sdk_program_test.go',
    'api/e2e/plain_http_test.go',
    'api/e2e/docs_test.go',
    'api/e2e/docs_calls_test.go',
    'api/e2e/docs_database_test.go',
    'api/e2e/docs_restore_test.go',
    'api/e2e/docs_operate_test.go',
    'sdk-go/examples/testing/checkout_test.go',
    'sdk-python/tests/test_examples.py',
    'docs-mdx/binder/commands.test.ts',
    'docs-mdx/binder/deploy.test.ts',
  ].map(read);
  it.each([...new Map(Object.values(proofs).map((one) => [one.test, one])).keys()])(
    'is executed by a test that exists: %s',
    (name) => {
      const [first = '', ...parts] = name.split('/');
      if (/^(Test|test_)/.test(first)) {
        const source = sources.find(
          (text) => text.includes(`func ${first}(`) || text.includes(`def ${first}(`),
        );
        expect(source, first).toBeDefined();
        for (const part of parts) {
          const quoted = `"${part.replace(/^example /, '')}"`;
          expect(
            sources.some((text) => text.includes(quoted)),
            `${first} has no ${quoted}`,
          ).toBe(true);
        }
      } else
        expect(
          sources.some((text) => text.includes(`it('${name}'`)),
          name,
        ).toBe(true);
    },
  );

  it('names only files that exist', () => {
    for (const key of Object.keys(proofs)) expect(exists(key.split('#')[0] ?? ''), key).toBe(true);
  });
});

it('has every error of the server with its anchor, and below it every message that it can give', () => {
  const codes: { code: string; messages: string[] }[] = JSON.parse(
    read('site/app/features/docs/error-codes.json'),
  );
  const anchors = open().byUrl.get('/docs/errors')?.anchors ?? [];
  expect(codes.length).toBeGreaterThan(100);
  expect(codes.map(({ code }) => code).filter((code) => !anchors.includes(code))).toEqual([]);
  const shown =
    texts()
      .find(({ path }) => path === '/docs/errors.md')
      ?.text.replaceAll('\\', '') ?? '';
  const sections = new Map(shown.split('\n### ').map((part) => [/^`(\w+)`/.exec(part)?.[1], part]));
  for (const { code, messages } of codes)
    for (const message of messages) expect(sections.get(code), code).toContain(message.replaceAll('\\', ''));
});

it('has a section for every call of the OpenAPI document, with curl and three languages', () => {
  const paths = read('api/gen/openapi/openapi.yaml').split('\nwebhooks:')[0]?.split('\ncomponents:')[0] ?? '';
  const calls = [...paths.matchAll(/^ {4}(get|head|post|put|patch|delete):[\s\S]*?operationId: (\w+)/gm)].map(
    (found) => found[2],
  );
  expect(calls.length).toBeGreaterThan(150);
  const pages = open().pages.filter(({ source }) => source.url.startsWith('/docs/api/'));
  expect(calls.filter((call) => !pages.some(({ anchors }) => anchors.includes(call ?? '')))).toEqual([]);
  const blocks = pages.flatMap(({ snippets }) => snippets);
  for (const language of ['sh', 'js', 'py', 'go'])
    expect(blocks.filter((one) => one.language === language).length, language).toBe(calls.length);
  expect(blocks.filter(({ proof }) => proof.word !== 'Tested')).toEqual([]);
});

it('has a row for what an object of a call holds, however deep', () => {
  const page = (name: string) => texts().find(({ path }) => path === `/docs/api/${name}.md`)?.text ?? '';
  expect(page('escalation')).toMatch(/\| `steps\[\]\.delay_seconds` +\| body/);
  expect(page('on-call')).toMatch(/\| `rotations\[\]\.windows\[\]\.\w+` +\| body/);
});

it('gives every page its Markdown, without components, and lists it in llms.txt', () => {
  const all = texts();
  const index = all.find(({ path }) => path === '/llms.txt')?.text ?? '';
  for (const url of urls()) {
    const text = all.find(({ path }) => path === `${url}.md`)?.text ?? '';
    expect(text.startsWith('# '), url).toBe(true);
    expect(text.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, ''), url).not.toMatch(/^<[A-Z]\w+/m);
    if (!open().byUrl.get(url)?.source.chosen) expect(index).toContain(`(${url}.md)`);
  }
});

it('links to no page and no section that does not exist', () => {
  const { pages, byUrl } = open();
  const links = pages.flatMap(({ source, tree }) =>
    [...JSON.stringify(tree).matchAll(/"(?:url|value)":"(\/docs(?:\/[\w./-]*)?)(?:#([\w.-]+))?"/g)].map(
      ([, url = '', hash]) => ({ from: source.url, url, hash }),
    ),
  );
  expect(links.length).toBeGreaterThan(500);
  const broken = links.filter(({ url, hash }) => {
    const page = byUrl.get(url);
    return !url.startsWith('/docs/pictures/') && (!page || (hash && !page.anchors.includes(hash)));
  });
  expect(broken).toEqual([]);
});

it('says with a snippet which test proves it', () => {
  const found = snippet(
    proofs,
    { page: 'x', line: 1 },
    { language: 'sh', file: 'docs-mdx/commands/secrets.sh', region: 'store' },
  );
  expect(found.proof).toEqual({
    test: 'reads as shell: docs-mdx/commands',
    run: 'make check',
    word: 'Checked',
  });
});
