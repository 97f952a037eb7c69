import { expect, signIn, test } from './fixtures';
import { startProxy } from './hanging';
import { declare } from './made';

// A browser has six connections to a server that speaks HTTP/1.1, for all its windows.
for (const windows of [1, 2])
  test(`an Acknowledge arrives while readings hang, windows: ${windows}`, async ({
    browser,
    mara,
    nightbell,
  }) => {
    const proxy = await startProxy(nightbell.url);
    const context = await browser.newContext();
    await signIn(context, mara);
    const { id, path } = await declare(mara);
    if (windows > 1) await (await context.newPage()).goto(`${proxy.url}/dashboard`);
    const page = await context.newPage();
    await page.goto(`${proxy.url}${path}`);
    const acknowledge = page.getByRole('button', { name: /^Acknowledge/ });
    await expect(acknowledge).toBeVisible();
    // The live feed has been heard, and what it asked for is there.
    await page.waitForTimeout(3000);
    proxy.hang(true);
    await mara.post(`/v1/incidents/${id}/comments`, { message: 'Another one looks.' });
    await declare(mara);
    await expect.poll(proxy.hanging).toBeGreaterThanOrEqual(4);
    await page.waitForTimeout(2000);
    await acknowledge.click();
    await expect(page.getByRole('button', { name: 'Resolve' })).toBeVisible({ timeout: 5000 });
    const { incident } = await mara.get<{ incident: { status: string } }>(`/v1/incidents/${id}`);
    expect(incident.status).toBe('acknowledged');
    // Nobody sees that the readings were begun again.
    await expect(page.getByRole('article').getByText('Failed to')).toHaveCount(0);
    proxy.hang(false);
    await context.close();
    proxy.close();
  });
