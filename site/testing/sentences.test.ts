import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { elsewhere } from '../e2e/spec/elsewhere';

const root = join(import.meta.dirname, '../..');

it.each(elsewhere)(
  'section %d, "%s": %s has the test that observes it',
  (_section, _sentence, file, test) => {
    expect(readFileSync(join(root, file), 'utf8')).toContain(test);
  },
);

it('no sentence stands there twice', () => {
  const all = elsewhere.map(([section, sentence]) => `${section} ${sentence}`);
  expect(all.filter((one, place) => all.indexOf(one) !== place)).toEqual([]);
});
