import { expect, it } from 'vitest';
import { readerOf, withLinks } from './links';

it('finds addresses and leaves the sentence its dot', () => {
  const text = 'Open http://127.0.0.1:8480/a/x?t=1. Or (https://example.com/b).';
  const pieces = withLinks(text);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(pieces.flatMap((piece) => piece.href ?? [])).toEqual([
    'http://127.0.0.1:8480/a/x?t=1',
    'https://example.com/b',
  ]);
});

it('makes no link of other schemes', () => {
  expect(withLinks('javascript:alert(1) ftp://x').every((piece) => piece.href === null)).toBe(true);
});

it.each([
  ['"Mara Lindqvist" <mara@example.com>', 'Mara Lindqvist'],
  ['Nightbell <nightbell@localhost>', 'Nightbell'],
  ['mara@example.com', 'mara@example.com'],
])('%s is for %s', (address, reader) => expect(readerOf(address)).toBe(reader));
