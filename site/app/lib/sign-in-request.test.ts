import { expect, it } from 'vitest';
import { signInRequest } from './sign-in-request';

it('returns to a path of this site', () => {
  expect(signInRequest({ from: '/incidents/1', reason: 'why' })).toEqual({
    from: '/incidents/1',
    reason: 'why',
  });
});

it.each(['//evil.example', 'https://evil.example', '/\\evil.example', ''])('never leads to %s', (from) => {
  expect(signInRequest({ from, reason: '' })).toBeNull();
});
