import type { Page } from '@playwright/test';
import { expect, sentences } from './reader';

const screen = sentences(2, 'dashboard', { path: '/dashboard', who: ['demo', 'empty'] });
const demo = ['demo'] as const;
const empty = ['empty'] as const;
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

screen('header: Create Incident', (page) =>
  expect(page.getByRole('main').getByRole('button', { name: 'Create Incident' })).toBeVisible(),
);
screen('header: theme toggle', (page) =>
  expect(page.getByRole('main').getByRole('group', { name: 'Theme' })).toBeVisible(),
);
for (const name of ['Open Incidents', 'MTTA', 'MTTR']) {
  screen(`card ${name}`, (page) => expect(card(page, name).getByRole('heading')).toHaveText(name));
  screen(
    `card ${name} has its change from last week`,
    (page) => expect(card(page, name)).toContainText(/(than|as) last week/),
    demo,
  );
}
screen(
  'without incidents, 0 are open and there is no time to speak of',
  async (page) => {
    await expect(card(page, 'Open Incidents')).toContainText('0');
    for (const name of ['MTTA', 'MTTR']) await expect(card(page, name)).toContainText('None yet');
  },
  empty,
);
screen(
  'Services Status: a grid of six services',
  async (page) => {
    expect(await card(page, 'Services Status').getByRole('listitem').count()).toBeGreaterThanOrEqual(6);
  },
  demo,
);
screen(
  'Services Status says when there is none',
  (page) => expect(card(page, 'Services Status')).toContainText('No services yet.'),
  empty,
);
for (const word of ['Operational', 'Degraded performance', 'Service disruption'])
  screen(
    `Services Status in words: ${word}`,
    (page) => expect(card(page, 'Services Status').getByText(word).first()).toBeVisible(),
    demo,
  );
for (const tab of ['Open', 'Closed'])
  screen(`tab ${tab} with its count`, (page) =>
    expect(page.getByRole('tab', { name: new RegExp(`^${tab} \\d+$`) })).toBeVisible(),
  );
screen('search box', (page) =>
  expect(page.getByRole('searchbox', { name: 'Search incidents' })).toBeVisible(),
);
screen('Filter button', (page) => expect(page.getByRole('button', { name: 'Filter' })).toBeVisible());
for (const [place, column] of [
  'Incident',
  'Status',
  'Priority',
  'Service',
  'Created At',
  'Assigned To',
].entries())
  screen(
    `column ${place + 1} is ${column}`,
    (page) => expect(card(page, 'Incidents').getByRole('columnheader').nth(place)).toHaveText(column),
    demo,
  );
screen(
  'the table says when nothing is open',
  (page) => expect(card(page, 'Incidents')).toContainText('No open incidents.'),
  empty,
);
for (const [label, incident] of [
  ['Triggered', 'Checkout payments failing'],
  ['Acknowledged', 'Login latency'],
  ['P1', 'Checkout payments failing'],
  ['P2', 'Login latency'],
] as const)
  screen(
    `label ${label}`,
    (page) =>
      expect(
        card(page, 'Incidents').getByRole('row', { name: incident }).getByText(label, { exact: true }),
      ).toBeVisible(),
    demo,
  );

// What each severity means is said where one is chosen (section 4).
const meaning = sentences(4, 'severity', { path: '/dashboard', who: ['demo', 'empty'] });
for (const choice of [
  'Critical: service fully down or data loss',
  'High: major functionality broken',
  'Medium: partial',
  'Low: minor',
])
  meaning(`the Create dialog says ${choice}`, async (page) => {
    await page.getByRole('main').getByRole('button', { name: 'Create Incident' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create Incident' });
    await expect(dialog.getByLabel('Severity').locator('option', { hasText: choice })).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });
