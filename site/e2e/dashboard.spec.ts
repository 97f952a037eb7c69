import { expectClean, open } from './clean';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

test.beforeEach(({ page, mara }) => signIn(page, mara));

test.describe('the dashboard', () => {
  test('shows MTTA 12m 45s and MTTR 2h 15m with their change from last week', async ({ page, mara }) => {
    // The other tests of this worker add incidents of a few seconds, so the figures are the server's own.
    const { current, before } = await mara.get<{
      current: { mtta_seconds: number; mttr_seconds: number; open_count: number };
      before: { mtta_seconds: number; mttr_seconds: number; open_count: number };
    }>('/v1/incidents/metrics');
    expect(before).toMatchObject({ mtta_seconds: 855, mttr_seconds: 7500, open_count: 5 });
    await open(page, '/dashboard');
    for (const [name, now, then] of [
      ['MTTA', current.mtta_seconds, before.mtta_seconds],
      ['MTTR', current.mttr_seconds, before.mttr_seconds],
    ] as const) {
      const card = page.getByRole('region', { name, exact: true });
      await expect(card).toContainText(/\d+[hms]/);
      await expect(card).toContainText(now < then ? 'faster than last week' : 'slower than last week');
    }
    const added = current.open_count - before.open_count;
    await expect(page.getByRole('region', { name: 'Open Incidents' })).toContainText(
      added === 0
        ? 'As many as last week'
        : `${Math.abs(added)} ${added < 0 ? 'fewer' : 'more'} than last week`,
    );
  });

  test('shows the six services with their status in words', async ({ page }) => {
    await open(page, '/dashboard');
    const grid = page.getByRole('region', { name: 'Services Status' });
    for (const words of ['Operational', 'Degraded performance', 'Service disruption'])
      await expect(grid.getByText(words).first()).toBeVisible();
  });

  test('has Open and Closed tabs with counts, and the columns of the specification', async ({ page }) => {
    await open(page, '/dashboard');
    await expect(page.getByRole('tab', { name: /^Open \d+$/ })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('columnheader')).toHaveText([
      'Incident',
      'Status',
      'Priority',
      'Service',
      'Created At',
      'Assigned To',
    ]);
    const row = page.getByRole('row', { name: /Checkout payments failing/ });
    await expect(row).toContainText('Triggered');
    await expect(row).toContainText('P1');
    await expect(row).toContainText('Unassigned');
    await expect(page.getByRole('row', { name: /Login latency/ })).toContainText('P2');
    await page.getByRole('tab', { name: /^Closed \d+$/ }).click();
    await expect(page).toHaveURL(/view=closed/);
    await expect(page.getByRole('row', { name: /Resolved/ }).first()).toBeVisible();
    await expectClean(page);
  });

  test('narrows by text and by a filter that stands in the address', async ({ page, mara }) => {
    const low = await declare(mara, 'A low one for the filter', { severity: 'low' });
    await open(page, '/dashboard');
    const table = page.getByRole('table');
    await page.getByRole('searchbox', { name: 'Search incidents' }).fill('low one for the filter');
    await expect(page.getByRole('row')).toHaveCount(2);
    await page.getByRole('searchbox', { name: 'Search incidents' }).fill('');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Severity').selectOption('P4 Low');
    await expect(page).toHaveURL(/severity=low/);
    await expect(table.getByRole('link', { name: low.title })).toBeVisible();
    await expect(table.getByRole('link', { name: /Checkout payments/ })).toHaveCount(0);
    await expectClean(page);
    await page.reload();
    await expect(page.getByLabel('Severity')).toHaveValue('low');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Service', { exact: true }).selectOption('Checkout API');
    await expect(table.getByRole('link', { name: /Checkout payments/ })).toBeVisible();
    await expect(table.getByRole('link', { name: low.title })).toHaveCount(0);
    await page.getByLabel('Status', { exact: true }).selectOption('Acknowledged');
    await expect(page.getByText('No open incident matches.')).toBeVisible();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect(table.getByRole('link', { name: low.title })).toBeVisible();
    await mara.post(`/v1/incidents/${low.id}/resolve`, { message: 'done' });
  });

  test('keeps its place under a title of many words', async ({ page }) => {
    await page.route(/\/v1\/incidents\?/, async (route) => {
      const response = await route.fetch();
      const json: { incidents: { title: string }[] } = await response.json();
      for (const one of json.incidents) one.title = 'Payments of customers fail '.repeat(12);
      await route.fulfill({ response, json });
    });
    await open(page, '/dashboard');
    const strip = page.getByRole('region', { name: 'Needs a person' });
    await expect(strip).toBeVisible();
    // What stood in its place while nobody knew is as high.
    expect(Math.round((await strip.boundingBox())?.height ?? 0)).toBe(78);
  });
});
