import { readFile } from 'node:fs/promises';
import type { GetAnalyticsResponseJson } from '@nightbell/proto';
import { expectClean, open } from './clean';
import { idOf } from './demo';
import { expect, signIn, test } from './fixtures';

test.beforeEach(({ page, mara }) => signIn(page, mara));

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const figuresOf = (query: string) => `/v1/analytics?timezone=${encodeURIComponent(zone)}&${query}`;

test.describe('analytics', () => {
  test('shows the figures of the API, and is led to by the sidebar', async ({ page, mara }) => {
    await open(page, '/dashboard');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Analytics' }).click();
    await expect(page).toHaveTitle('Analytics - Nightbell');
    const said = await mara.get<GetAnalyticsResponseJson>(figuresOf('days=30&compare=true'));
    const { figures = {}, disturbed_night_count = 0 } = said.period ?? {};
    // Other tests of this worker add incidents before it, never while it looks.
    for (const [name, value] of [
      ['Incidents', figures.incident_count],
      ['Pages', figures.page_count],
      ['Nights disturbed', disturbed_night_count],
    ] as const)
      await expect(page.getByRole('region', { name, exact: true })).toContainText(String(value));
    expect(disturbed_night_count).toBeGreaterThan(0);
    const nights = page.getByRole('region', { name: 'Nights and weekends' });
    for (const person of said.people ?? [])
      await expect(nights.getByRole('row', { name: new RegExp(person.name ?? '') })).toContainText(
        String(person.figures?.page_count),
      );
    const [noisiest] = said.alerts ?? [];
    await expect(page.getByRole('region', { name: 'Noisiest alerts' }).getByRole('row').nth(1)).toContainText(
      noisiest?.title ?? '',
    );
    await expectClean(page);
  });

  test('agrees with the dashboard about a week', async ({ mara }) => {
    const week = await mara.get<GetAnalyticsResponseJson>(figuresOf('days=7&compare=true'));
    const metrics = await mara.get<{
      current: { triggered_count: number; mtta_seconds: number; mttr_seconds: number };
      before: { mtta_seconds: number; mttr_seconds: number };
    }>('/v1/incidents/metrics');
    expect(week.period?.figures?.mttr_seconds).toBe(metrics.current.mttr_seconds);
    expect(week.before?.figures).toMatchObject({ mtta_seconds: 855, mttr_seconds: 7500 });
  });

  test('keeps period and filter in the address', async ({ page, mara }) => {
    const shop = idOf('service', 'Checkout API');
    await open(page, '/analytics');
    await page.getByRole('group', { name: 'Period' }).getByRole('button', { name: '7 days' }).click();
    await page.getByLabel('Service', { exact: true }).selectOption('Checkout API');
    // It follows the address, which changes a moment after the press.
    await page.getByLabel('Compare with the days before').click();
    await expect(page.getByLabel('Compare with the days before')).not.toBeChecked();
    await expect(page).toHaveURL(/days=7/);
    await expect(page).toHaveURL(new RegExp(`service=${shop}`));
    await page.reload();
    await expect(page.getByLabel('Service', { exact: true })).toHaveValue(shop);
    await expect(page.getByLabel('Compare with the days before')).not.toBeChecked();
    const said = await mara.get<GetAnalyticsResponseJson>(figuresOf(`days=7&service_id=${shop}`));
    const tile = page.getByRole('region', { name: 'Incidents', exact: true });
    await expect(tile).toContainText(String(said.period?.figures?.incident_count));
    await expect(tile).not.toContainText('before');
  });

  test('takes a period of one’s own, and says what is wrong with it', async ({ page }) => {
    await open(page, '/analytics?from=2020-01-01&to=2020-01-31');
    await expect(page.getByText('No incidents in this period.')).toBeVisible();
    await page.getByLabel('Last day').fill('2019-12-31');
    await expect(page.getByText('The last day is before the first.')).toBeVisible();
    await page.getByLabel('Last day').fill('2023-01-01');
    await expect(page.getByText('Choose 400 days or fewer.')).toBeVisible();
    await expectClean(page);
  });

  test('has the table of each chart one key away, and its rows as a file', async ({ page }) => {
    await open(page, '/analytics');
    const toggles = page.getByRole('button', { name: 'Show table' });
    const count = await toggles.count();
    expect(count).toBe(7);
    for (let at = 0; at < count; at++) {
      await page.getByRole('button', { name: 'Show table' }).first().focus();
      await page.keyboard.press('Enter');
    }
    await expect(page.getByRole('button', { name: 'Show chart' })).toHaveCount(7);
    await expectClean(page);
    const table = page.getByRole('region', { name: 'Nights and weekends: table' });
    const rows = await table.getByRole('row').count();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download Nights and weekends as CSV' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('people.csv');
    const lines = (await readFile(await file.path(), 'utf8'))
      .replace(/^\uFEFF/, '')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(rows);
    expect(lines[0]).toMatch(/^Person,Time zone,Nights disturbed,Pages at night,Sleep lost \(seconds\),/);
    const cells = await table.getByRole('row').nth(1).getByRole('cell').allTextContents();
    const [name, , nights] = lines[1]?.split(',') ?? [];
    expect([name, nights]).toEqual([cells[0], cells[2]]);
  });
});
