import { describe, expect, it } from 'vitest';
import { partsOf, sourceOf, stackText } from './stack';

const own = (name: string) => ({ function: name, file: 'cart.py', line: 42, in_app: true });
const library = (name: string) => ({ function: name, file: 'lib.py', line: 7, column: 3, in_app: false });

describe('a stack', () => {
  it('shows own calls and folds those of libraries between them', () => {
    const parts = partsOf([library('a'), own('b'), own('c'), library('d'), library('e')]);
    expect(parts.map(({ folded, frames }) => [folded, frames.length])).toEqual([
      [true, 1],
      [false, 2],
      [true, 2],
    ]);
  });

  it('shows the first calls when none is own', () => {
    const parts = partsOf(['a', 'b', 'c', 'd', 'e'].map(library));
    expect(parts.map(({ folded, frames }) => [folded, frames.length])).toEqual([
      [false, 3],
      [true, 2],
    ]);
  });

  it('is text to paste, with its causes', () => {
    expect(
      stackText({
        exceptions: [
          { type: 'PaymentError', message: 'no answer', frames: [own('pay'), library('serve')] },
          { message: 'refused', frames: [{ module: 'net', file: 'dial.go' }] },
          {},
        ],
      }),
    ).toBe(
      [
        'PaymentError: no answer',
        '    at pay (cart.py:42)',
        '    at serve (lib.py:7:3)',
        'Caused by: refused',
        '    at net (dial.go)',
        'Caused by: Error',
      ].join('\n'),
    );
  });

  it('numbers the lines of source around a call', () => {
    expect(sourceOf({ line: 42, pre: ['a', 'b'], code: 'c', post: ['d'] })).toEqual([
      { number: 40, text: 'a', here: false },
      { number: 41, text: 'b', here: false },
      { number: 42, text: 'c', here: true },
      { number: 43, text: 'd', here: false },
    ]);
    expect(sourceOf({ line: 42 })).toEqual([]);
  });
});
