import type { Page } from '@playwright/test';
import { service } from '../demo';
import { expect, sentences } from './reader';

const demo = ['demo'] as const;
const empty = ['empty'] as const;
const both = ['demo', 'empty'] as const;
const heads = (page: Page, name: string) => page.getByRole('table', { name }).getByRole('columnheader');

const integrations = sentences(2, 'integrations', { path: '/integrations', who: both });
integrations('header with Add Integration', (page) =>
  expect(page.getByRole('button', { name: 'Add Integration' })).toBeVisible(),
);
for (const tab of ['All Integrations', 'Monitoring', 'Communication', 'Ticketing'])
  integrations(`tab ${tab}`, (page) => expect(page.getByRole('tab', { name: tab })).toBeVisible());
integrations('search box', (page) =>
  expect(page.getByRole('searchbox', { name: 'Search integrations' })).toBeVisible(),
);
for (const [name, category] of [
  ['Slack', 'Communication'],
  ['GitHub', 'Version Control'],
  ['Datadog', 'Monitoring'],
  ['Jira', 'Ticketing'],
  ['PagerDuty', 'On-Call'],
  ['Zendesk', 'Customer Support'],
] as const)
  integrations(`card ${name} (${category}): its status, and Add or Configure`, async (page) => {
    const card = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name, exact: true, level: 2 }) });
    await expect(card.getByText(category, { exact: true })).toBeVisible();
    await expect(card.getByText(/^(Not )?Connected$/)).toBeVisible();
    await expect(card.getByRole('button', { name: new RegExp(`^(Add|Configure) ${name}$`) })).toBeVisible();
  });

const oncall = sentences(2, 'on-call', { path: '/oncall', who: both });
oncall('title On-call schedules', (page) =>
  expect(page.getByRole('heading', { level: 1 })).toHaveText('On-call schedules'),
);
oncall('Create Schedule button', (page) =>
  expect(page.getByRole('link', { name: 'Create Schedule' }).first()).toBeVisible(),
);
for (const tab of ['Schedules', 'Rotations', 'Overrides'])
  oncall(`tab ${tab}`, (page) => expect(page.getByRole('tab', { name: tab })).toBeVisible(), demo);
oncall('search box', (page) => expect(page.getByRole('searchbox')).toBeVisible(), demo);
for (const [place, column] of ['Name', 'Description', 'Team', 'Escalation Policy', 'Status'].entries())
  oncall(`column ${column}`, (page) => expect(heads(page, 'Schedules').nth(place)).toHaveText(column), demo);
for (const name of ['24/7 Support', 'Weekend Coverage', 'Holiday Support', 'Night Shift', 'Backup Support'])
  oncall(
    `sample schedule ${name}, with its edit icon`,
    async (page) => {
      const row = page.getByRole('table', { name: 'Schedules' }).getByRole('row', { name: new RegExp(name) });
      await expect(row.getByRole('button', { name, exact: true })).toBeVisible();
      await expect(row.getByRole('link', { name: `Edit ${name}` })).toBeVisible();
    },
    demo,
  );
for (const [status, name] of [
  ['Active', 'Night Shift'],
  ['Inactive', 'Holiday Support'],
] as const)
  oncall(
    `status ${status}`,
    (page) =>
      expect(
        page
          .getByRole('table', { name: 'Schedules' })
          .getByRole('row', { name: new RegExp(name) })
          .getByText(status, { exact: true }),
      ).toBeVisible(),
    demo,
  );
oncall(
  'without a schedule it says what one is',
  (page) => expect(page.getByText('No schedule yet.', { exact: false })).toBeVisible(),
  empty,
);

const services = sentences(2, 'services', { path: '/services', who: both });
const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'All Services' }).getByRole('row', { name: new RegExp(name) });
services('Add Service button', (page) =>
  expect(page.getByRole('button', { name: 'Add Service' })).toBeVisible(),
);
for (const tab of ['All Services', 'Configurations', 'Incidents'])
  services(`tab ${tab}`, (page) => expect(page.getByRole('tab', { name: tab })).toBeVisible(), demo);
for (const [by, text, found] of [
  ['name', 'gateway', 'Payment Gateway'],
  ['owner', 'infrastructure', 'Data Warehouse'],
] as const)
  services(
    `the search filters by ${by}`,
    async (page) => {
      const search = page.getByRole('searchbox', { name: 'Search name or owner' });
      await search.fill(text);
      await expect(page.getByRole('table', { name: 'All Services' }).getByRole('row')).toHaveCount(2);
      await expect(row(page, found)).toBeVisible();
      await search.fill('');
      await expect(row(page, 'Checkout API')).toBeVisible();
    },
    demo,
  );
for (const [place, column] of ['Service Name', 'Owner', 'Health', 'Incidents', 'Last Incident'].entries())
  services(
    `column ${column}`,
    (page) => expect(heads(page, 'All Services').nth(place)).toHaveText(column),
    demo,
  );
services(
  'the name links to /services/{id}',
  (page) =>
    expect(row(page, 'Checkout API').getByRole('link', { name: 'Checkout API' })).toHaveAttribute(
      'href',
      service('Checkout API'),
    ),
  demo,
);
services(
  'edit icon',
  (page) =>
    expect(row(page, 'Checkout API').getByRole('button', { name: 'Edit Checkout API' })).toBeVisible(),
  demo,
);
services(
  'five services or more',
  async (page) => {
    expect(
      await page.getByRole('table', { name: 'All Services' }).locator('tbody tr').count(),
    ).toBeGreaterThan(4);
  },
  demo,
);
services(
  'without a service it says what one is for',
  (page) => expect(page.getByText('No services yet.', { exact: false })).toBeVisible(),
  empty,
);
const states = { Healthy: 'grey', Degraded: 'orange', Down: 'red' } as const;
const ranges = { grey: [0, 0.03, 0, 360], orange: [0.1, 1, 35, 65], red: [0.1, 1, 5, 30] } as const;
for (const [health, colour] of Object.entries(states))
  services(
    `health ${health}, whose count of incidents is ${colour}`,
    async (page) => {
      const cells = page
        .getByRole('table', { name: 'All Services' })
        .getByRole('row')
        .filter({ has: page.getByRole('cell', { name: health, exact: true }) })
        .first()
        .getByRole('cell');
      await expect(cells.nth(2)).toHaveText(health);
      const [, chroma = 0, hue = 0] = await cells
        .nth(3)
        .locator('span')
        .evaluate((count) => getComputedStyle(count).color.replace('oklch(', '').split(/[ )]/).map(Number));
      const [leastChroma, mostChroma, leastHue, mostHue] = ranges[colour];
      expect(chroma).toBeGreaterThanOrEqual(leastChroma);
      expect(chroma).toBeLessThanOrEqual(mostChroma);
      expect(hue).toBeGreaterThanOrEqual(leastHue);
      expect(hue).toBeLessThanOrEqual(mostHue);
    },
    demo,
  );

const one = sentences(2, 'service', { path: service('Authentication Service'), who: demo });
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
one('its own name, and the breadcrumb back to Services', async (page) => {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Authentication Service');
  await expect(
    page.getByRole('main').getByRole('link', { name: 'Services', exact: true }).first(),
  ).toHaveAttribute('href', '/services');
});
for (const button of ['Edit', 'Create Incident'])
  one(`button ${button}`, (page) =>
    expect(page.getByRole('main').getByRole('button', { name: button, exact: true }).first()).toBeVisible(),
  );
one('Service Status', (page) => expect(region(page, 'Service Status')).toContainText('Degraded'));
for (const tile of ['Uptime', 'Latency', 'Error rate'])
  one(`tile ${tile}`, (page) => expect(region(page, 'Service Status').getByText(tile).first()).toBeVisible());
for (const column of ['Title', 'Severity', 'Started', 'Assignee'])
  one(`Active Incidents: column ${column}`, (page) =>
    expect(heads(page, 'Active Incidents').filter({ hasText: column })).toBeVisible(),
  );
one('Active Incidents: its incidents', (page) =>
  expect(page.getByRole('table', { name: 'Active Incidents' })).toContainText('Login latency'),
);
for (const [kind, what] of [
  ['deployment', 'authentication 2.31.4'],
  ['configuration', 'Session lifetime raised'],
  ['incident', 'Login latency'],
] as const)
  one(`Recent Activity: ${kind}`, (page) => expect(region(page, 'Recent Activity')).toContainText(what));
for (const [name, value] of [
  ['Owner', 'Identity, Priya Raman'],
  ['On-call', 'Platform, critical'],
  ['Repo', 'git.example.com/fernhill/authentication'],
  ['Tier', '1'],
] as const)
  one(`Configuration: ${name}`, (page) =>
    expect(region(page, 'Configuration').locator(`dt:text-is("${name}") + dd`)).toContainText(value),
  );
one('Dependencies with health badges', async (page) => {
  const needs = region(page, 'Dependencies')
    .getByRole('region', { name: 'Depends on' })
    .getByRole('listitem');
  await expect(needs.filter({ hasText: 'Notification Relay' })).toContainText(/Healthy|Degraded|Down/);
});
