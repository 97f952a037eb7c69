import { expect, it } from 'vitest';
import { exclusively } from './exclusive';

// jsdom has no locks, as a browser over plain http has none.
it('runs one after the other', async () => {
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    seen.push(`${name} ends`);
  };
  await Promise.all([exclusively('t', work('one')), exclusively('t', work('two'))]);
  expect(seen).toHaveLength(4);
  expect(seen[1]).toBe(seen[0]?.replace('begins', 'ends'));
});

it('gives the lease back after a failure', async () => {
  await expect(exclusively('t', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(localStorage).toHaveLength(0);
});

it.each([
  ['ran out', Date.now() - 1],
  ['was written by a wrong clock', Date.now() + 86_400_000],
])('does not wait for a lease that %s', async (_, until) => {
  localStorage.setItem('t', `gone ${until}`);
  expect(await exclusively('t', async () => 'done')).toBe('done');
});
