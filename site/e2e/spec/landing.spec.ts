import type { Page } from '@playwright/test';
import { metrics } from '../../app/features/landing/sample/words';
import { expect, sentences, test } from './reader';

const landing = { path: '/', who: ['visitor'] } as const;
const shows = (page: Page, text: string | RegExp) =>
  expect(page.getByRole('main').getByText(text).first()).toBeVisible();
const section = (page: Page, id: string) => page.locator(`section#${id}`);

const purpose = sentences(1, 'landing', landing);
for (const [store, place] of [
  ['App Store', '#wearable'],
  ['Google Play', '#wearable'],
] as const)
  purpose(`store link ${store} with a placeholder target`, (page) =>
    expect(page.getByRole('link', { name: store })).toHaveAttribute('href', place),
  );
purpose('Get Early Access opens the registration dialog', async (page) => {
  await page.getByRole('button', { name: 'Get Early Access' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create your account' });
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
});
for (const problem of [
  'Missed critical alerts',
  'Slow response times',
  'Customer trust erosion',
  'Team burnout',
])
  purpose(`problem: ${problem}`, (page) =>
    expect(page.getByRole('heading', { name: problem, exact: true })).toBeVisible(),
  );
for (const feature of [
  'Smart alerts',
  'On-call scheduling',
  'Escalation policies',
  'AI-powered detection',
  'Automation workflows',
  'Analytics reporting',
  'Team collaboration',
])
  purpose(`feature: ${feature}`, (page) =>
    expect(section(page, 'features').getByRole('heading', { name: feature, exact: true })).toBeVisible(),
  );
purpose('integrations grid: 12 tools with categories', async (page) => {
  const tools = section(page, 'integrations').getByRole('listitem');
  await expect(tools).toHaveCount(12);
  for (const tool of await tools.all()) {
    await expect(tool.locator('b')).toHaveText(/\w/);
    await expect(tool.locator('span').last()).toHaveText(/\w/);
  }
});
purpose('integrations grid claims 300+', (page) =>
  expect(section(page, 'integrations')).toContainText('300+ integrations'),
);
for (const [value, label] of [
  ['99.9%', 'Uptime SLA'],
  ['73%', 'Faster MTTR'],
  ['10k+', 'Teams'],
  ['300+', 'Integrations'],
  ['24/7', 'Support'],
  ['SOC2', 'Compliant'],
] as const)
  purpose(`production metric: ${value} ${label}`, async (page) => {
    expect(metrics).toContainEqual({ value, label });
    const figure = page
      .getByRole('region', { name: 'In production' })
      .locator('dl > div')
      .filter({ hasText: label });
    await expect(figure.getByRole('definition')).toHaveText(value);
  });
purpose('testimonials: 3 company quotes', (page) =>
  expect(section(page, 'about').locator('blockquote')).toHaveCount(3),
);
purpose('testimonials: 4.9/5 from 200+ reviews', (page) => shows(page, '4.9/5'));
purpose('testimonials: 500+ teams', (page) => expect(section(page, 'about')).toContainText('500+ teams'));
purpose('testimonials: under 2 min average response', (page) =>
  expect(section(page, 'about')).toContainText('Under 2 min average response'),
);
for (const promise of ['14-day trial', 'no setup fees', 'cancel anytime', 'Set up in 5 minutes'])
  purpose(`final call to action: ${promise}`, (page) =>
    expect(
      page
        .getByText('Set up in 5 minutes', { exact: false })
        .filter({ hasText: new RegExp(promise, 'i') })
        .first(),
    ).toBeVisible(),
  );
for (const theme of ['Light', 'Dark', 'System'])
  purpose(`theme switcher offers ${theme}`, (page) =>
    expect(
      page.getByRole('banner').getByRole('group', { name: 'Theme' }).getByRole('button', { name: theme }),
    ).toBeVisible(),
  );

const screen = sentences(2, 'landing', landing);
screen('the theme switcher defaults to system', (page) =>
  expect(
    page.getByRole('banner').getByRole('group', { name: 'Theme' }).getByRole('button', { name: 'System' }),
  ).toHaveAttribute('aria-pressed', 'true'),
);
screen('top bar: logo', (page) =>
  expect(page.getByRole('banner').getByRole('link', { name: 'Nightbell' })).toHaveAttribute('href', '/'),
);
for (const [word, to] of [
  ['Features', '/#features'],
  ['Wearable', '/#wearable'],
  ['Pricing', '/#pricing'],
  ['Docs', '/docs'],
  ['About', '/#about'],
] as const)
  screen(`top bar: link ${word}`, (page) =>
    expect(
      page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('link', { name: word, exact: true })
        .first(),
    ).toHaveAttribute('href', to),
  );
screen('top bar: the login button opens the login dialog', async (page) => {
  await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Log in' });
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
});
screen('top bar: deploy button', (page) =>
  expect(page.getByRole('banner').getByRole('link', { name: 'Deploy' }).first()).toBeVisible(),
);
for (const anchor of ['features', 'wearable', 'pricing', 'about'])
  sentences(2, 'landing', { path: `/#${anchor}`, who: ['visitor'] })(
    `a hash scrolls to the section ${anchor}`,
    (page) => expect(section(page, anchor)).toBeInViewport(),
  );
for (const column of ['Product', 'Resources', 'Company'])
  screen(`footer: link column ${column}`, async (page) => {
    const links = page.getByRole('contentinfo').getByRole('navigation', { name: column }).getByRole('link');
    expect(await links.count()).toBeGreaterThan(2);
  });
screen('footer: Stay Updated e-mail box with Subscribe', async (page) => {
  const footer = page.getByRole('contentinfo');
  await expect(footer.getByRole('heading', { name: 'Stay Updated' })).toBeVisible();
  await expect(footer.getByLabel('Email')).toHaveAttribute('type', 'email');
  await expect(footer.getByRole('button', { name: 'Subscribe' })).toBeVisible();
});
screen('footer: postal address block', (page) =>
  expect(page.getByRole('contentinfo').locator('address [data-company="address"]')).toHaveText(/\w/),
);
screen('footer: copyright 2024', (page) =>
  expect(page.getByRole('contentinfo')).toContainText('© 2024 Nightbell'),
);
for (const [word, to] of [
  ['Privacy', '/privacy'],
  ['Terms', '/terms'],
  ['Cookies', '/cookies'],
] as const)
  screen(`footer: ${word} link`, (page) =>
    expect(page.getByRole('contentinfo').getByRole('link', { name: word, exact: true })).toHaveAttribute(
      'href',
      to,
    ),
  );

const plans = {
  Starter: [
    '$0',
    'per month',
    ['Up to 5 team members', 'Basic alerting', 'Email notifications', 'Community support'],
  ],
  Professional: [
    '$29',
    'per user per month',
    [
      'Unlimited team members',
      'Advanced escalation',
      'SMS and phone alerts',
      'Integrations',
      'Priority support',
    ],
  ],
  Enterprise: [
    'Custom',
    '',
    ['Custom integrations', 'SSO with SAML', 'Advanced analytics', 'SLA guarantees', 'Dedicated support'],
  ],
} as const;
const constant = sentences(9, 'pricing', landing);
for (const [name, [price, per, parts]] of Object.entries(plans)) {
  const plan = (page: Page) => section(page, 'pricing').getByRole('region', { name });
  constant(`${name} costs ${price} ${per}`.trim(), async (page) => {
    await expect(plan(page)).toContainText(price);
    await expect(plan(page)).toContainText(per);
  });
  for (const part of parts)
    constant(`${name} has ${part}`, (page) =>
      expect(plan(page).getByRole('listitem').filter({ hasText: part })).toBeVisible(),
    );
}
constant('Professional is marked most popular, and no other', async (page) => {
  await expect(section(page, 'pricing').getByText('Most popular')).toHaveCount(1);
  await expect(
    section(page, 'pricing').getByRole('region', { name: 'Professional' }).getByText('Most popular'),
  ).toBeVisible();
});
constant('trial of 14 days', (page) => expect(section(page, 'pricing')).toContainText('14-day trial'));

test.describe('1 landing', () => {
  test.use({ expectedFaults: /ERR_FAILED/ });
  test('(visitor): a logo that fails to load is replaced by its first letter', async ({ page }) => {
    await page.route(/slack.*\.svg/, (route) => route.abort());
    await page.goto('/#integrations');
    const slack = section(page, 'integrations').getByRole('listitem').filter({ hasText: 'Slack' });
    await slack.scrollIntoViewIfNeeded();
    await expect(slack.locator('span').first()).toHaveText('S');
  });
});

test.describe('2 theme', () => {
  test('(visitor): the choice is stored under ui-theme as light, dark or system', async ({ page }) => {
    await page.goto('/');
    const choices = page.getByRole('banner').getByRole('group', { name: 'Theme' });
    for (const choice of ['light', 'dark', 'system']) {
      const button = choices.getByRole('button', { name: choice });
      await expect(async () => {
        await button.click();
        expect(await page.evaluate(() => localStorage.getItem('ui-theme'))).toBe(choice);
      }).toPass();
    }
  });
  test('(visitor): system follows the preference of the operating system', async ({ page }) => {
    await page.goto('/');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    }
  });
});
