import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, test as own } from './spec/reader';

// One test for each sentence of the specification about the documentation that can be observed,
// named by it; `make spec-list` counts them. They look at one page in turn, and leave it as it was.
const test = own.extend({
  page: async ({ look }, use) => {
    const reader = await look.as('visitor');
    await use(reader.page);
    expect(reader.faults()).toEqual([]);
  },
});
const at = async (page: Page, path: string) => {
  if (new URL(page.url()).pathname !== path) await page.goto(path);
};

const main = (page: Page) => page.getByRole('main');
/** Links called Go say to those who hear them that it is the language. */
const called = (name: string) => (name === 'Go' ? 'Go language' : name);
const leadsTo = (page: Page, name: string, path: string) =>
  expect(
    main(page)
      .getByRole('link', { name: called(name), exact: true })
      .first(),
  ).toHaveAttribute('href', path);
const shows = (page: Page, text: string | RegExp) => expect(main(page).getByText(text).first()).toBeVisible();
const source = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const routes = [
  ...['', '/platforms', '/platforms/nodejs', '/platforms/python', '/platforms/go', '/quick-setup'],
  ...['/sdk-quick-reference', '/sdk-usage-guide', '/secrets-setup', '/platforms/java', '/platforms/php'],
  ...[
    '/platforms/ruby',
    '/api',
    '/performance',
    '/error-tracking',
    '/business-metrics',
    '/alerts',
    '/mobile',
  ],
  ...['/deployment', '/enterprise', '/examples', '/changelog'],
];
for (const route of routes)
  test(`Section 2, routes: /docs${route} is a page`, async ({ page }) => {
    expect((await page.goto(`/docs${route}`))?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  });

test.describe('Section 2, docs home', () => {
  test.beforeEach(({ page }) => at(page, '/docs'));
  test('Back to Home', ({ page }) => leadsTo(page, 'Back to Home', '/'));
  test('Quick Start button', ({ page }) => leadsTo(page, 'Quick Start', '/docs/sdk-quick-reference'));
  test('Choose Your Platform button', ({ page }) => leadsTo(page, 'Choose Your Platform', '/docs/platforms'));
  test('get-started cards', async ({ page }) => {
    await leadsTo(page, 'SDK Quick Reference', '/docs/sdk-quick-reference');
    await leadsTo(page, 'Full Usage Guide', '/docs/sdk-usage-guide');
    await leadsTo(page, 'Quick Setup', '/docs/quick-setup');
    await leadsTo(page, 'Secrets Setup', '/docs/secrets-setup');
  });
  for (const [name, path] of [
    ['Node.js', 'nodejs'],
    ['Python', 'python'],
    ['Go', 'go'],
  ] as const)
    test(`popular platform ${name}, marked popular`, async ({ page }) => {
      const card = main(page)
        .locator('[data-card]')
        .filter({ has: page.getByRole('link', { name: called(name), exact: true }) });
      await expect(card.getByRole('link', { name: called(name), exact: true })).toHaveAttribute(
        'href',
        `/docs/platforms/${path}`,
      );
      await expect(card.getByText('Popular', { exact: true })).toBeVisible();
    });
  for (const name of ['Java', 'PHP', 'Ruby'])
    test(`platform ${name}, not marked popular`, async ({ page }) => {
      const card = main(page)
        .locator('[data-card]')
        .filter({ has: page.getByRole('link', { name: called(name), exact: true }) });
      await expect(card).toHaveCount(1);
      await expect(card.getByText('Popular', { exact: true })).toHaveCount(0);
    });
  test('features and guides', async ({ page }) => {
    await expect(page.getByRole('heading', { name: 'Features and guides' })).toBeVisible();
    for (const path of ['error-tracking', 'performance', 'business-metrics', 'alerts', 'mobile'])
      await expect(main(page).locator(`a[href="/docs/${path}"]`).first()).toBeVisible();
  });
  test('Enterprise Ready block', async ({ page }) => {
    await expect(page.getByRole('heading', { name: 'Enterprise Ready' })).toBeVisible();
    await leadsTo(page, 'Enterprise guide', '/docs/enterprise');
  });
  test('community and support links', async ({ page }) => {
    await expect(main(page).getByRole('link', { name: 'Ask the community' })).toHaveAttribute(
      'href',
      /^https:/,
    );
    await expect(main(page).getByRole('link', { name: 'Contact support' })).toHaveAttribute(
      'href',
      /^mailto:/,
    );
  });
});

test.describe('Section 2, platforms page', () => {
  test.beforeEach(({ page }) => at(page, '/docs/platforms'));
  for (const [name, path] of [
    ['Node.js', 'nodejs'],
    ['Python', 'python'],
    ['Go', 'go'],
    ['Java', 'java'],
    ['PHP', 'php'],
    ['Ruby', 'ruby'],
  ] as const)
    test(`${name} links to /docs/platforms/${path}`, ({ page }) =>
      leadsTo(page, name, `/docs/platforms/${path}`));
  for (const [name, first] of [
    ['Node.js', 'Express, Next.js, Koa'],
    ['Python', 'Django, Flask, FastAPI'],
    ['Go', 'Gin, Echo, Fiber'],
  ] as const)
    test(`the popular card of ${name} shows its first 3 frameworks plus a count`, async ({ page }) => {
      const card = main(page).locator('[data-card]').filter({ hasText: first });
      await expect(card.getByRole('link', { name: called(name), exact: true })).toBeVisible();
      await expect(card.getByText('+2 more')).toBeVisible();
    });
  for (const four of [
    'Spring Boot, Quarkus, Micronaut, Jakarta EE',
    'Laravel, Symfony, WordPress, Slim',
    'Rails, Sinatra, Hanami, Grape',
  ])
    test(`another card shows 4: ${four}`, ({ page }) => shows(page, four));
  test('link to request platform support', ({ page }) =>
    expect(main(page).getByRole('link', { name: 'Request platform support' })).toHaveAttribute(
      'href',
      /issues\/new/,
    ));
  test('link to /docs/api', ({ page }) => leadsTo(page, 'API reference', '/docs/api'));
});

const guides = {
  nodejs: ['Express', 'Next.js', 'Koa', 'Fastify', 'NestJS'],
  python: ['Django', 'Flask', 'FastAPI', 'Tornado', 'Pyramid'],
  go: ['Gin', 'Echo', 'Fiber', 'Chi', 'Net/HTTP'],
} as const;
for (const [platform, names] of Object.entries(guides))
  test.describe(`Section 2, guide ${platform}`, () => {
    test.beforeEach(({ page }) => at(page, `/docs/platforms/${platform}`));
    test('sidebar framework switcher', async ({ page }) => {
      const tree = page.getByRole('navigation', { name: 'Pages' });
      for (const name of names) await expect(tree.getByRole('link', { name, exact: true })).toBeVisible();
    });
    for (const anchor of ['installation', 'configuration', 'usage'])
      test(`in-page anchor ${anchor}`, async ({ page }) => {
        await page
          .getByRole('complementary', { name: 'On this page' })
          .locator(`a[href="#${anchor}"]`)
          .click();
        await expect(page.locator(`#${anchor}`)).toBeInViewport();
      });
    test('copy buttons on code blocks', async ({ page }) => {
      await expect(page.getByRole('button', { name: 'Copy', exact: true }).first()).toBeVisible();
      const blocks = await page.locator('main figure[data-from]').count();
      await expect(page.locator('main figure[data-from] [data-copy]')).toHaveCount(blocks);
    });
    test('mobile sidebar toggle', async ({ page }) => {
      await page.setViewportSize({ width: 390, height: 800 });
      const tree = page.getByRole('navigation', { name: 'Pages' });
      await expect(tree).toBeHidden();
      await page.locator('a[href="#tree"]').click();
      await expect(tree).toBeVisible();
      await page.setViewportSize({ width: 1440, height: 900 });
    });
    for (const path of ['performance', 'alerts', 'business-metrics', 'api'])
      test(`link to ${path}`, ({ page }) =>
        expect(main(page).locator(`a[href="/docs/${path}"]`).first()).toBeVisible());
  });

test.describe('Section 2, Quick Setup', () => {
  test.beforeEach(({ page }) => at(page, '/docs/quick-setup'));
  for (const [n, step] of [
    'Generate keys',
    'Add the private key as a repository secret',
    'Add the public key to the server',
    'Add the required secrets',
    'Test',
  ].entries())
    test(`step ${n + 1} of SSH-key deployment: ${step}`, async ({ page }) => {
      const heading = main(page).getByRole('heading', { level: 2, name: step, exact: false }).first();
      await expect(heading).toBeVisible();
      await expect(heading).toContainText(`${n + 1}`);
    });
  test('troubleshooting', ({ page }) => shows(page, 'Permission denied (publickey)'));
  test('next-step buttons', async ({ page }) => {
    await leadsTo(page, 'Secrets Setup', '/docs/secrets-setup');
    await leadsTo(page, 'SDK Quick Reference', '/docs/sdk-quick-reference');
  });
});

for (const path of ['/docs/sdk-quick-reference', '/docs/sdk-usage-guide'])
  test.describe(`Section 2, ${path}`, () => {
    test.beforeEach(({ page }) => at(page, path));
    for (const language of ['Python', 'Go', 'Node.js'])
      test(`install, import and examples for ${language}`, async ({ page }) => {
        await page.getByRole('radio', { name: language }).first().check();
        const install = { 'Node.js': 'npm install', Python: 'pip install', Go: 'go mod' }[language] ?? '';
        const use =
          { 'Node.js': 'new Nightbell(', Python: 'import nightbell', Go: 'nightbell.' }[language] ?? '';
        await expect(main(page).locator('figure:visible').filter({ hasText: install }).first()).toBeVisible();
        await expect(main(page).locator('figure:visible').filter({ hasText: use }).first()).toBeVisible();
      });
    test('Testing section with snippets and a run command to copy', async ({ page }) => {
      await expect(main(page).locator('#testing')).toBeVisible();
      const run = main(page).locator('figure:visible').filter({ hasText: 'node trigger.js' });
      await expect(run.getByRole('button', { name: 'Copy', exact: true }).first()).toBeVisible();
    });
    test('after-integration section with four cards', async ({ page }) => {
      const cards = main(page).locator('#after ~ [data-block="cards"] [data-card]');
      await expect(cards).toHaveCount(4);
    });
    for (const benefit of [
      'AI-generated summaries',
      'Similar-incident detection',
      'root cause suggestions',
      'Slack/email/SMS notifications',
      'Incident correlation',
      'On-call rotations',
      'Escalation policies by severity',
      'Automatic resolution detection',
    ])
      test(`benefit of section 1: ${benefit}`, ({ page }) => shows(page, benefit));
    test('what nobody has built is said to be missing', async ({ page }) => {
      for (const card of ['AI analysis', 'Patterns', 'Notifications and people'])
        await expect(
          main(page)
            .locator('[data-card]')
            .filter({ has: page.getByRole('link', { name: card }) }),
        ).toContainText(/not built yet/);
    });
    for (const [name, to] of [
      ['Setup Guide', '/docs/quick-setup'],
      ['Secrets Setup', '/docs/secrets-setup'],
    ] as const)
      test(`closing button ${name}`, ({ page }) => leadsTo(page, name, to));
    test('closing button Open Dashboard, in a new tab', ({ page }) =>
      expect(main(page).getByRole('link', { name: 'Open Dashboard' })).toHaveAttribute('target', '_blank'));
  });
test('Section 2, usage guide: closing button Quick Reference', async ({ page }) => {
  await at(page, '/docs/sdk-usage-guide');
  await leadsTo(page, 'Quick Reference', '/docs/sdk-quick-reference');
});

test.describe('Section 2, secrets setup', () => {
  test.beforeEach(({ page }) => at(page, '/docs/secrets-setup'));
  test('back button to /docs', ({ page }) => leadsTo(page, 'Back to docs', '/docs'));
  test('required core secret: JWT secret', ({ page }) => shows(page, 'NIGHTBELL_JWT_SECRET'));
  test('required core secret: SSH private key', ({ page }) => shows(page, 'DEPLOY_SSH_KEY'));
  test('optional integrations: AI, SMS and voice keys, and what is true of them', ({ page }) =>
    shows(page, 'This version asks for none: it calls no such provider'));
  test('optional integration: chat webhook URL', ({ page }) => shows(page, 'Chat webhook URL'));
  for (const name of ['HOST', 'USERNAME', 'PASSWORD', 'FROM'])
    test(`optional mail setting NIGHTBELL_SMTP_${name}`, ({ page }) =>
      expect(main(page).locator('td code', { hasText: `NIGHTBELL_SMTP_${name}` })).toBeVisible());
  for (const provider of ['Gmail', 'SendGrid', 'Amazon SES'])
    test(`mail preset ${provider}`, ({ page }) =>
      expect(main(page).getByRole('radio', { name: provider })).toBeAttached());
  for (const [way, code] of [
    ['Python', 'token_hex(32)'],
    ['Node.js', 'randomBytes(32)'],
    ['OpenSSL', 'openssl rand -hex 32'],
  ] as const)
    test(`way to generate a random 32-byte hex secret: ${way}`, async ({ page }) => {
      await main(page).getByRole('radio', { name: way }).first().check();
      await expect(main(page).locator('figure:visible').filter({ hasText: code }).first()).toBeVisible();
    });
  test('repository-secrets steps', ({ page }) => shows(page, 'Press New repository secret'));
  test('verification checklist', ({ page }) =>
    expect(main(page).locator('[data-block="checks"] li')).toHaveCount(5));
  test('security notes', ({ page }) => shows(page, 'A secret that was committed is known.'));
  test('copy buttons', ({ page }) =>
    expect(page.getByRole('button', { name: 'Copy', exact: true }).first()).toBeVisible());
  for (const [name, to] of [
    ['Test the deployment', '/docs/quick-setup#test'],
    ['Quick Setup', '/docs/quick-setup'],
    ['SDK Quick Reference', '/docs/sdk-quick-reference'],
    ['Full Usage Guide', '/docs/sdk-usage-guide'],
  ] as const)
    test(`link ${name}`, ({ page }) => leadsTo(page, name, to));
  test('advice: names are case-sensitive', ({ page }) => shows(page, /Names are case-sensitive/));
  test('advice: no extra spaces', ({ page }) => shows(page, /a space or a line break at the end/));
  test('advice: BEGIN/END markers', ({ page }) => shows(page, /SSH keys need their BEGIN and END markers/));
  test('advice: an app password for mail', ({ page }) => shows(page, /use an app password/));
});

test.describe('Section 9, docs examples', () => {
  for (const [sentence, path, text] of [
    ['an operation of more than 5 s opens an incident', '/docs/performance', /Five seconds is the default/],
    ['another threshold is 30 seconds', '/docs/performance', /such as 30 seconds/],
    ['heartbeat every 60 s', '/docs/performance', /A heartbeat every 60 seconds/],
    ['low order volume: fewer than 10 orders in the last hour', '/docs/business-metrics', /Fewer than ten/],
    ['low order volume: checked every 5 minutes', '/docs/business-metrics', /Every five minutes/],
    ['conversion rate: below 2% over 24 hours', '/docs/business-metrics', /last 24 hours/],
    ['conversion rate: checked every 10 minutes', '/docs/business-metrics', /Every ten minutes/],
    ['timeout 10000 ms in production', '/docs/performance', /10000 ms in production/],
    ['timeout 5000 ms otherwise', '/docs/performance', /5000 ms otherwise/],
    ['auto-capture only in production', '/docs/platforms/nodejs', /on in production/],
    ['debug only in development', '/docs/platforms/nodejs', /on in development/],
    ['JWT secret is 32 random bytes in hex', '/docs/secrets-setup', /32 random bytes in hex/],
    ['SDK environment variable: service key', '/docs/platforms/nodejs', /^NIGHTBELL_SERVICE_KEY$/],
    ['SDK environment variable: API key', '/docs/platforms/nodejs', /^NIGHTBELL_API_KEY$/],
  ] as const)
    test(sentence, async ({ page }) => {
      await at(page, path);
      await shows(page, text);
    });
  for (const [file, port] of [
    ['sdk-node/examples/express.js', 3000],
    ['sdk-go/nightbellgin/example/main.go', 8080],
    ['sdk-python/examples/tornado/main.py', 8888],
  ] as const)
    test(`example server on port ${port}`, () => {
      expect(source(file)).toContain(`${port}`);
    });
});

own(
  'a refusal of the server leads by its help to the code on the errors page',
  async ({ page, nightbell }) => {
    const answer = await fetch(`${nightbell.url}/v1/incidents`, {
      headers: { Authorization: 'Bearer nbk_none' },
    });
    const { help, message } = (await answer.json()) as { help: string; message: string };
    await page.goto(help);
    await expect(page.locator(`[id="${help.split('#')[1]}"]`)).toBeInViewport();
    await shows(page, message);
  },
);
