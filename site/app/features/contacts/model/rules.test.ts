import { expect, it, test } from 'vitest';
import { delayWords, fallbackWords, isUnused, rulesFor } from './rules';

test.each([
  [0, 'At once'],
  [45, 'After 45 s'],
  [300, 'After 5 min'],
  [5400, 'After 1 h 30 min'],
  [86_400, 'After 24 h'],
])('%d s reads %s', (seconds, words) => expect(delayWords(seconds)).toBe(words));

const rules = [
  { id: 'b', contact_method_id: 'c1', urgency: 'high', delay_seconds: 300 },
  { id: 'a', contact_method_id: 'c1', urgency: 'high' },
  { id: 'l', contact_method_id: 'c2', urgency: 'low' },
];

it('orders the rules of an urgency by time', () => {
  expect(rulesFor('high', rules).map(({ id }) => id)).toEqual(['a', 'b']);
});

it('knows who is left out, and what counts without a rule', () => {
  expect(isUnused({ id: 'c1' }, rules)).toBe(false);
  expect(isUnused({ id: 'c3' }, rules)).toBe(true);
  expect(isUnused({ id: 'c3', shared: true }, rules)).toBe(false);
  expect(isUnused({ id: 'c3' }, [])).toBe(false);
  expect(fallbackWords(rules)).toMatch('the other rules count');
  expect(fallbackWords([])).toMatch('told at once');
});
