import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { iconNames } from './icon';

it('names exactly the symbols of the sprite', () => {
  const sprite = readFileSync(join(import.meta.dirname, '../../assets/icons.svg'), 'utf8');
  const symbols = [...sprite.matchAll(/<symbol id="([^"]+)"/g)].map((match) => match[1]);
  expect(symbols.toSorted()).toEqual([...iconNames].toSorted());
});
