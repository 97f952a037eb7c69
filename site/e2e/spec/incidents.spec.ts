import type { Page } from '@playwright/test';
import { read } from '../clean';
import { incident, triggered } from '../demo';
import { expect, sentences, test } from './reader';

const list = sentences(2, 'incidents', { path: '/incidents', who: ['demo', 'empty'] });
const demo = ['demo'] as const;
const empty = ['empty'] as const;
const table = (page: Page) => page.getByRole('table', { name: 'Incidents' });
const row = (page: Page, name: string | RegExp) => table(page).getByRole('row', { name });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search incidents' });

for (const card of ['Unacknowledged', 'Acknowledged', 'Resolved'])
  list(`count card ${card}`, (page) =>
    expect(page.getByRole('region', { name: card, exact: true }).locator('p').first()).toHaveText(/^\d+$/),
  );
for (const [where, text, found] of [
  ['title', 'PAYMENTS failing', 'Checkout payments failing'],
  ['description', 'card payments FAIL', 'Checkout payments failing'],
  ['service_name', 'warehouse', 'Disk 91% full'],
] as const)
  list(
    `the search matches the ${where}, whatever the case`,
    async (page) => {
      await search(page).fill(text);
      await expect(row(page, new RegExp(found))).toBeVisible();
      await expect(row(page, /Login latency/)).toHaveCount(0);
      await search(page).fill('');
      await expect(row(page, /Login latency/)).toBeVisible();
      await expect(page).toHaveURL('/incidents');
    },
    demo,
  );
list('search box', (page) => expect(search(page)).toBeVisible());
for (const [filter, status] of [
  ['Open', '[triggered]'],
  ['Closed', '[resolved]'],
] as const)
  list(
    `filter ${filter} shows ${status} only`,
    async (page) => {
      const filters = page.getByRole('group', { name: 'Filter' });
      await filters.getByRole('button', { name: filter }).click();
      const rows = table(page).locator('tbody tr[data-row]');
      await expect(rows.filter({ hasText: status }).first()).toBeVisible();
      await expect(rows.filter({ hasNotText: status })).toHaveCount(0);
      await filters.getByRole('button', { name: 'All' }).click();
      await expect(page).toHaveURL('/incidents');
    },
    demo,
  );
for (const filter of ['All', 'Open', 'Closed'])
  list(`filter button ${filter}`, (page) =>
    expect(page.getByRole('group', { name: 'Filter' }).getByRole('button', { name: filter })).toBeVisible(),
  );
for (const [place, column] of [
  'Incident ID',
  'Summary',
  'Status',
  'Severity',
  'Assignee',
  'Created',
  'Actions',
].entries())
  list(
    `column ${place + 2} is ${column}`,
    (page) =>
      expect(
        table(page)
          .getByRole('columnheader')
          .nth(place + 1),
      ).toHaveText(column),
    demo,
  );
list(
  'column 1 is a checkbox',
  (page) => expect(row(page, /Checkout payments/).getByRole('checkbox')).toBeVisible(),
  demo,
);
const cells = (page: Page) => row(page, /Checkout payments failing/).getByRole('cell');
for (const [sentence, place, text] of [
  ['Incident ID is # and the last 4 characters of the id', 1, '#c41e'],
  ['Summary is the title', 2, 'Checkout payments failing in eu-west-1'],
  ['Status badge', 3, 'Triggered'],
  ['Severity is capitalised', 4, 'Critical'],
  ['Assignee shows the name of the service', 5, 'Checkout API'],
] as const)
  list(sentence, (page) => expect(cells(page).nth(place)).toHaveText(text), demo);
list(
  'Created is relative to triggered_at',
  (page) => expect(cells(page).nth(6).locator('time')).toHaveText(/ago|just now/),
  demo,
);
list(
  'Actions: the status in brackets',
  (page) => expect(cells(page).nth(7)).toContainText('[triggered]'),
  demo,
);
list(
  'Actions: Acknowledge when triggered, and no Resolve',
  async (page) => {
    await expect(cells(page).getByRole('button', { name: 'Acknowledge #c41e' })).toBeVisible();
    await expect(cells(page).getByRole('button', { name: /Resolve/ })).toHaveCount(0);
  },
  demo,
);
list(
  'Actions: Resolve when acknowledged, and no Acknowledge',
  async (page) => {
    await expect(row(page, /Login latency/).getByRole('button', { name: /^Resolve/ })).toBeVisible();
    await expect(row(page, /Login latency/).getByRole('button', { name: /^Acknowledge/ })).toHaveCount(0);
  },
  demo,
);
list(
  'Actions: neither when resolved',
  (page) => expect(row(page, /Retry storm/).getByRole('button')).toHaveCount(0),
  demo,
);
list(
  'Actions: link to the detail',
  (page) => expect(cells(page).getByRole('link', { name: 'Open #c41e' })).toHaveAttribute('href', triggered),
  demo,
);
list(
  'an empty list says what comes',
  (page) =>
    expect(page.getByText('No incidents yet. They appear here the moment an alert arrives.')).toBeVisible(),
  empty,
);

const detail = sentences(2, 'incident', { path: triggered, who: ['demo'] });
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
detail('header: # and last 4 of the id, and the title', (page) =>
  expect(heading(page)).toHaveText('#c41e - Checkout payments failing in eu-west-1'),
);
detail('header: severity badge', (page) =>
  expect(page.getByRole('article').getByRole('button', { name: 'Critical, change severity' })).toBeVisible(),
);
detail('header: opened when, by System while nobody has acknowledged', (page) =>
  expect(page.getByText(/^Opened .+ by System$/)).toBeVisible(),
);
for (const button of ['Assign', 'Escalate'])
  detail(`button ${button}`, (page) =>
    expect(page.getByRole('button', { name: button, exact: true })).toBeVisible(),
  );
detail('Acknowledge when triggered, and no Resolve', async (page) => {
  await expect(page.getByRole('article').getByRole('button', { name: /^Acknowledge/ })).toBeVisible();
  await expect(page.getByRole('article').getByRole('button', { name: 'Resolve' })).toHaveCount(0);
});
const fact = (page: Page, name: string) =>
  page.locator('dl[aria-label="Details"] > div').filter({ hasText: name }).getByRole('definition').first();
for (const [name, value] of [
  ['Status', 'Triggered'],
  ['Severity', 'Critical'],
  ['Assignee', 'Unassigned'],
  ['Service', 'Checkout API'],
] as const)
  detail(`details: ${name}`, (page) => expect(fact(page, name)).toHaveText(value));
detail('timeline', (page) =>
  expect(page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').first()).toBeVisible(),
);
detail('comment box with Post', async (page) => {
  await expect(page.getByLabel('Add a comment')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Post' })).toBeVisible();
});
detail('Affected Services', (page) =>
  expect(page.getByRole('region', { name: 'Affected Services' })).toContainText('Checkout API'),
);
detail('Linked Alerts', (page) =>
  expect(page.getByRole('region', { name: 'Linked Alerts' })).toContainText('CheckoutPaymentFailureRate'),
);

const taken = sentences(2, 'incident', { path: incident('9a07'), who: ['demo'] });
taken('header: the name of whoever acknowledged', (page) =>
  expect(page.getByText(/^Opened .+, acknowledged by Priya Raman$/)).toBeVisible(),
);
taken('Resolve when acknowledged, and no Acknowledge', async (page) => {
  await expect(page.getByRole('article').getByRole('button', { name: 'Resolve' })).toBeVisible();
  await expect(page.getByRole('article').getByRole('button', { name: /^Acknowledge/ })).toHaveCount(0);
});
taken('details: the assignee is whoever acknowledged', (page) =>
  expect(fact(page, 'Assignee')).toHaveText('Priya Raman'),
);

const bare = sentences(2, 'incident', { path: ({ incident }) => incident, who: ['bare'] });
bare('details: Unknown Service where it names none', (page) =>
  expect(fact(page, 'Service')).toHaveText('Unknown Service'),
);
bare('details: Unassigned where nobody has it', (page) =>
  expect(fact(page, 'Assignee')).toHaveText('Unassigned'),
);
bare('timeline: declared', (page) =>
  expect(page.getByRole('region', { name: 'Timeline' })).toContainText('Incident declared'),
);
bare('Affected Services says when there is none', (page) =>
  expect(page.getByRole('region', { name: 'Affected Services' })).toContainText('names no service'),
);
bare('Linked Alerts says when there is none', (page) =>
  expect(page.getByRole('region', { name: 'Linked Alerts' })).toContainText('No alert is linked.'),
);

// The hue of a colour, and how much of it there is: what red, orange, yellow and grey are told by.
const colours = { Critical: [5, 30], High: [35, 65], Medium: [90, 115] } as const;
const shade = (page: Page, severity: string) =>
  row(page, '')
    .locator(`[data-severity="${severity.toLowerCase()}"] > svg`)
    .first()
    .evaluate((svg) => {
      const [, chroma = '', hue = ''] = getComputedStyle(svg).color.replace('oklch(', '').split(/[ )]/);
      return { chroma: Number(chroma), hue: Number(hue) };
    });
const severities = sentences(4, 'severity', { path: '/incidents', who: ['demo'] });
for (const [severity, [least, most]] of Object.entries(colours))
  severities(
    `${severity} is ${{ Critical: 'red', High: 'orange', Medium: 'yellow' }[severity]}`,
    async (page) => {
      const { chroma, hue } = await shade(page, severity);
      expect(chroma).toBeGreaterThan(0.1);
      expect(hue).toBeGreaterThanOrEqual(least);
      expect(hue).toBeLessThanOrEqual(most);
    },
  );
severities('Low is grey', async (page) => expect((await shade(page, 'Low')).chroma).toBeLessThan(0.03));

sentences(9, 'incidents', { path: '/dashboard', who: ['demo'] })(
  'the list asks for up to 1000',
  async (page) => {
    const asked = page.waitForRequest(/\/v1\/incidents\?limit=1000&offset=0$/);
    await page.goto('/incidents');
    await asked;
  },
);

test('7 incidents (own): Acknowledge and Resolve send their messages, and both are read again', async ({
  page,
  look,
}) => {
  const { caller } = await look.as('bare');
  const { incident: made } = await caller.post<{ incident: { id: string } }>('/v1/incidents', {
    title: 'Answered',
  });
  await page.addInitScript(
    ([user, access, refresh]) => {
      localStorage.setItem('user', user ?? '');
      localStorage.setItem('access_token', access ?? '');
      localStorage.setItem('refresh_token', refresh ?? '');
    },
    [JSON.stringify(caller.session.user), caller.session.accessToken, caller.session.refreshToken],
  );
  await page.goto(`/incidents/${made.id}`);
  for (const [button, verb, message] of [
    [/^Acknowledge/, 'acknowledge', 'Incident acknowledged'],
    ['Resolve', 'resolve', 'Incident resolved'],
  ] as const) {
    const sent = page.waitForRequest(`**/v1/incidents/${made.id}/${verb}`);
    const next = page.getByRole('article').getByRole('button', { name: button });
    await read(next);
    await next.click();
    expect((await sent).postDataJSON()).toMatchObject({ message });
    await page.waitForRequest((request) => request.method() === 'GET' && request.url().endsWith(made.id));
  }
  await expect(fact(page, 'Status')).toHaveText('Resolved');
});
