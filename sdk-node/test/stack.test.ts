import { describe, expect, it } from 'vitest';
import { fingerprint } from '../src/fingerprint.js';
import { framesOf } from '../src/stack.js';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function find(late: boolean): Promise<void> {
  if (late) await tick();
  throw new Error('no such order');
}

class Orders {
  async show(late: boolean): Promise<void> {
    await find(late);
  }
  static async list(late: boolean): Promise<void> {
    await find(late);
  }
}

const ways: Record<string, (late: boolean) => Promise<unknown>> = {
  'a function': find,
  'a method': async (late) => await new Orders().show(late),
  'a static method': async (late) => await Orders.list(late),
  'one of many': async (late) => await Promise.all([new Orders().show(late)]),
  'a function without a name': async (late) => await (async () => await find(late))(),
};

async function caught(way: (late: boolean) => Promise<unknown>, late: boolean): Promise<Error> {
  try {
    await way(late);
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

// V8 forgets a caller that returns a promise without awaiting it; with a name it still counts.
describe('an error before and after an await', () => {
  it.each(Object.entries(ways))('is one problem: %s', async (_, way) => {
    const named = (error: Error) => {
      const frames = framesOf(error.stack ?? '', error.message);
      return fingerprint('production', [{ type: 'Error', message: error.message, frames }]).text;
    };
    const [before, after] = [await caught(way, false), await caught(way, true)];
    expect(named(after)).toBe(named(before));
  });
});

it('reads the place of an async caller that has no name', () => {
  const stack = 'Error: boom\n    at find (file:///srv/a.mjs:4:65)\n    at async file:///srv/b%20c.mjs:20:11';
  expect(framesOf(stack, 'boom')[1]).toMatchObject({
    function: '<anonymous>',
    file: '/srv/b c.mjs',
    line: 20,
    column: 11,
    in_app: true,
  });
});
