import type { BrowserContext, Page, Route } from '@playwright/test';

/** The most that SLOW=1 adds to each script and to each answer of the API, in milliseconds. */
const lateness = { script: 300, answer: 700 };
const timesSlower = 6;

/**
 * With SLOW=1 in the environment, everything takes longer and arrives in another order: no test may
 * depend on how fast a machine is. Without it, nothing happens.
 */
export async function slowDown(context: BrowserContext): Promise<void> {
  if (!process.env.SLOW) return;
  await context.route(/\/assets\/.*\.js$/, late(lateness.script));
  await context.route(/\/v1\/(?!stream)/, late(lateness.answer));
  const throttle = async (page: Page) => {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: timesSlower });
  };
  await Promise.all(context.pages().map(throttle));
  // A page that closes at once need not be slow.
  context.on('page', (page) => throttle(page).catch(() => undefined));
}

function late(most: number): (route: Route) => Promise<void> {
  return async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
    // The page may have been left meanwhile.
    await route.continue().catch(() => undefined);
  };
}

/** Holds every script back until the returned function is called. */
export async function holdScripts(page: Page): Promise<() => void> {
  let release: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await late;
    await route.continue();
  });
  return release;
}
