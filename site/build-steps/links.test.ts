import { expect, it } from 'vitest';
import { broken } from './links';

const pages = new Map([
  ['/', '<a href="/docs#run">docs</a><a href="/incidents/7">one</a><a href="/v1/openapi.yaml">API</a>'],
  [
    '/docs',
    '<h2 id="run">Run</h2><a href="#run">here</a><a href="/docs.md">text</a><a href="https://example.com/x">out</a>',
  ],
]);
const files = new Set(['/docs.md']);

it('finds nothing where every link leads somewhere', () => {
  expect(broken(pages, files, ['/incidents/:id'])).toEqual([]);
});

it('names the page of a link to nothing, of a lost anchor, and of an address without its slash', () => {
  const wrong = new Map([
    ...pages,
    ['/a', '<a href="/nowhere">a</a><a href="/docs#gone">b</a><a href="#none">c</a><a href="x.md">d</a>'],
  ]);
  expect(broken(wrong, files, ['/incidents/:id'])).toEqual([
    '/a: there is no /nowhere',
    '/a: /docs has no #gone',
    '/a: it has no #none itself',
    '/a: x.md is neither an address nor a path',
  ]);
});
