import type { Page } from '@playwright/test';
import { expectClean, expectToFit, open, settle, settleLoading } from './clean';
import { idOf, policy, schedule, service, triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { looks } from './looks';
import { report } from './reported';

// What waits for the server is a page like any other, and so is what the server did not answer.
const pages: [name: string, path: string][] = [
  ['the dashboard', '/dashboard'],
  ['incidents', '/incidents'],
  ['an incident', triggered],
  ['a reported error', 'reported'],
  ['on-call', '/oncall'],
  ['a schedule', schedule('24/7 Support')],
  ['contact methods', '/oncall/contacts'],
  ['policies', '/oncall/policies'],
  ['a policy', policy('Platform, critical')],
  ['teams', '/oncall/teams'],
  ['maintenance', '/oncall/maintenance'],
  [
    'an explanation',
    `/oncall/explain?service=${idOf('service', 'Checkout API')}&severity=high&at=2026-11-23T02:00:00Z`,
  ],
  ['services', '/services'],
  ['a service', service('Checkout API')],
  ['integrations', '/integrations'],
  ['webhooks', '/integrations/webhooks'],
  ['the inbox', '/inbox'],
  ['analytics', '/analytics'],
];

// How far things may move when the answers come, as the browser adds it up; 0.1 is what it calls good.
const mostShift = 0.02;

// It is said once, however many parts of the page are still on their way.
const announced = '[role=status], [aria-live=polite]';

test.describe.configure({ mode: 'parallel' });

for (const { width, theme } of looks) {
  test.describe(`at ${width} in ${theme}`, () => {
    test.use({ viewport: { width, height: 900 } });
    test.beforeEach(({ page, mara }) => signIn(page, mara, theme));
    for (const [name, address] of pages) {
      test(`${name} is a page while it loads, and after that failed`, async ({ page, mara }) => {
        const path = address === 'reported' ? await report(mara) : address;
        const answer = await holdAnswers(page);
        await page.goto(path);
        await settleLoading(page);
        await expect(page.locator(announced).filter({ hasText: /^Loading / })).toHaveCount(1);
        await expectClean(page);
        await expectToFit(page);
        answer('with failure');
        await settle(page);
        await expect(page.getByRole('main').getByRole('button', { name: 'Try again' }).first()).toBeVisible();
        await expectClean(page);
        await expectToFit(page);
      });

      test(`${name} does not jump when the answers come`, async ({ page, mara }) => {
        const path = address === 'reported' ? await report(mara) : address;
        // It keeps as much room as the services took the last time, and other tests have added some.
        if (address === '/dashboard') await open(page, path);
        const answer = await holdAnswers(page);
        await page.addInitScript(addUpShifts);
        await page.goto(path);
        await settleLoading(page);
        answer('as ever');
        await settle(page);
        const shifts = await page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
        const sum = shifts.reduce((total, shift) => total + shift.by, 0);
        expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(mostShift);
      });
    }
  });
}

interface Shift {
  by: number;
  of: string[];
}

// Holds what the page asks of the server back until the returned function is called.
async function holdAnswers(page: Page): Promise<(how: 'as ever' | 'with failure') => void> {
  let release: (how: 'as ever' | 'with failure') => void = () => undefined;
  const released = new Promise<string>((resolve) => {
    release = resolve;
  });
  await page.route(/\/v1\/(?!stream)/, async (route) => {
    if ((await released) === 'as ever') return route.fallback();
    // A refusal is not tried again, as a 503 would be.
    return route.fulfill({ status: 409, json: { message: 'The database is away. Try again in a moment.' } });
  });
  return release;
}

function addUpShifts(): void {
  const shifts: Shift[] = [];
  Object.assign(window, { shifts });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number;
      sources: { node?: Element }[];
    })[])
      shifts.push({
        by: entry.value,
        of: entry.sources.map(({ node }) => node?.className || `${node?.nodeName}`),
      });
  }).observe({ type: 'layout-shift', buffered: true });
}
