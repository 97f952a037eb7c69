import { expect, it } from 'vitest';
import { capitalised, shortId, two } from './words';

it('refers to an incident by the last four characters of its id', () => {
  expect(shortId('01993c5e-7f00-7000-8000-00000000c41e')).toBe('#c41e');
});

it('capitalises a severity', () => expect(capitalised('critical')).toBe('Critical'));

it('writes two digits', () => expect([two(4), two(12)]).toEqual(['04', '12']));
