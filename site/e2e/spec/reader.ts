import type { Browser, Page } from '@playwright/test';
import type { Caller } from '../caller';
import { open } from '../clean';
import { test as base, expect, noteFaults, signIn } from '../fixtures';
import { declare } from '../made';
import type { Nightbell } from '../nightbell';
import { followRequests } from '../requests';
import { slowDown } from '../slow';

/** Whoever looks: nobody who is signed in, or the owner of one of three organizations. */
export type Who = 'visitor' | 'demo' | 'empty' | 'bare';

/** One page of a worker, which many tests look at in turn. None of them leaves it otherwise than it was. */
export class Reader {
  private constructor(
    readonly page: Page,
    /** The public API as this reader calls it; a visitor has none. */
    readonly caller: Caller,
    /** The address of the one incident in the bare organization. */
    readonly incident: string,
    private readonly noted: string[],
  ) {}

  static async sit(browser: Browser, nightbell: Nightbell, who: Who): Promise<Reader> {
    const context = await browser.newContext({
      baseURL: nightbell.url,
      viewport: { width: 1440, height: 900 },
    });
    followRequests(context);
    await slowDown(context);
    const caller = who === 'demo' ? await nightbell.logIn() : await nightbell.register();
    const incident = who === 'bare' ? (await declare(caller, 'Nobody knows its service')).path : '';
    if (who !== 'visitor') await signIn(context, caller);
    const page = await context.newPage();
    return new Reader(page, caller, incident, noteFaults(page, nightbell, /404|409|503/));
  }

  /** The page at an address: as it is when it is shown already, else opened and drawn. */
  async at(path: string): Promise<Page> {
    if (this.page.url() !== new URL(path, this.caller.url).href) await open(this.page, path);
    return this.page;
  }

  /** What went wrong on the page since it was asked last. */
  faults(): string[] {
    return this.noted.splice(0);
  }
}

interface Look {
  /** The page of somebody, which this worker has opened once. */
  as: (who: Who) => Promise<Reader>;
}

/** A test that may look at pages which are open already. One that asks for `page` has a fresh one, as all others. */
export const test = base.extend<object, { look: Look }>({
  look: [
    async ({ browser, nightbell }, use) => {
      const readers = new Map<Who, Promise<Reader>>();
      const as = (who: Who) => {
        const reader = readers.get(who) ?? Reader.sit(browser, nightbell, who);
        readers.set(who, reader);
        return reader;
      };
      await use({ as });
      for (const reader of readers.values()) await (await reader).page.context().close();
    },
    { scope: 'worker' },
  ],
  // A page of the test's own is opened only when it is asked for.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what it needs there.
  quiet: async ({}, use) => {
    await use(undefined);
  },
  page: async ({ page, context, nightbell, expectedFaults, expectedErrors }, use) => {
    followRequests(context);
    await slowDown(context);
    const faults = noteFaults(page, nightbell, expectedFaults, expectedErrors);
    await use(page);
    expect(faults).toEqual([]);
  },
});

type Seen = (page: Page, reader: Reader) => unknown;

/**
 * Tests of one page, each titled by its id, who looks, and the sentence of the specification. The id begins
 * with the section: `make spec-list` prints and counts them.
 */
export function sentences(
  section: number,
  place: string,
  { path, who }: { path: string | ((reader: Reader) => string); who: readonly Who[] },
) {
  return (sentence: string, seen: Seen, only: readonly Who[] = who): void => {
    for (const one of only)
      test(`${section} ${place} (${one}): ${sentence}`, async ({ look }) => {
        const reader = await look.as(one);
        const page = await reader.at(typeof path === 'string' ? path : path(reader));
        await seen(page, reader);
        expect(reader.faults()).toEqual([]);
      });
  };
}

export { expect };
