import { expect, it } from 'vitest';
import { acting, reading } from './give-way';

const never = new AbortController().signal;
/** A read that hangs until it gives way, and is answered when it is asked again. */
function hanging() {
  const asked = { times: 0 };
  const read = (signal: AbortSignal) => {
    asked.times += 1;
    if (asked.times > 1) return Promise.resolve('answer');
    return new Promise<string>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  return { asked, read };
}

it('takes the connections of reads for an act, and asks them again when it is answered', async () => {
  const { asked, read } = hanging();
  const list = reading(read, never);
  let free = false;
  await acting(async () => {
    await Promise.resolve();
    free = asked.times === 1;
  });
  expect(free, 'while the act is sent, the read is not').toBe(true);
  expect(await list).toBe('answer');
});

it('asks them again a moment after an act that nobody answers', async () => {
  const { read } = hanging();
  const list = reading(read, never);
  void acting(() => new Promise(() => undefined));
  expect(await list).toBe('answer');
});

it('does so for an act of another tab', async () => {
  const { read } = hanging();
  const list = reading(read, never);
  const other = new BroadcastChannel('nightbell-act');
  other.postMessage(null);
  expect(await list).toBe('answer');
  other.close();
});

it('reads four at a time, and the next when one is answered or was given up', async () => {
  let begun = 0;
  const ends: (() => void)[] = [];
  const read = () => {
    begun += 1;
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const left = new AbortController();
  const all = Array.from({ length: 4 }, () => reading(read, never));
  const given = reading(read, left.signal);
  all.push(reading(read, never));
  expect(begun).toBe(4);
  left.abort();
  await expect(given).rejects.toThrow();
  ends[0]?.();
  await all[0];
  await new Promise((resolve) => setTimeout(resolve));
  expect(begun).toBe(5);
  for (const end of ends) end();
  await Promise.all(all);
});
