import type { ListInboxResponseJson } from '@nightbell/proto';
import { open } from './clean';
import { idOf, policy } from './demo';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

test.beforeEach(({ page, mara }) => signIn(page, mara));

const refused = { status: 409, json: { message: 'Away.' } };

test.describe('on-call', () => {
  test('says that every other schedule is covered only when that is known', async ({ page }) => {
    const now = page.getByRole('region', { name: 'On call now' });
    await page.route('**/v1/on-call/problems*', (route) => route.fulfill(refused));
    await page.goto('/oncall');
    await expect(now.getByText('Next in line')).toBeVisible();
    await expect(now.getByText('Whether there are gaps is not known')).toBeVisible();
    await expect(now.getByText('Every other schedule is covered')).toHaveCount(0);
    for (const partial of [
      { problems: [], truncated: true, incomplete: '' },
      { problems: [], truncated: false, incomplete: 'Two schedules were not looked at.' },
    ]) {
      await page.route('**/v1/on-call/problems*', (route) => route.fulfill({ json: partial }));
      await page.reload();
      await expect(now.getByText(/No gap|Nobody on call/).first()).toBeVisible();
      await expect(now.getByText('Every other schedule is covered')).toHaveCount(0);
    }
  });

  test('asks the server who is next in line', async ({ page }) => {
    await page.route('**/v1/explain*', async (route) => {
      const answer = await (await route.fetch()).json();
      const moment = (step: number, after: number, name: string, target: object) => ({
        at: answer.at,
        after_seconds: after,
        step,
        round: 1,
        outcome: 'paged',
        message: '',
        pages: [
          {
            user: { id: `u${step}`, name },
            contacts: [],
            why: { sentence: '', step, target_kind: 'schedule', ...target },
          },
        ],
      });
      return route.fulfill({
        json: {
          ...answer,
          moments: [
            moment(1, 0, 'Priya Raman', {
              target: { id: idOf('schedule', '24/7 Support'), name: '24/7 Support' },
            }),
            moment(3, 420, 'Somebody Only The Server Knows', { target_kind: 'user' }),
          ],
        },
      });
    });
    await open(page, '/oncall');
    const now = page.getByRole('region', { name: 'On call now' });
    await expect(now.getByText('Somebody Only The Server Knows')).toBeVisible();
    await expect(now.getByText('after 7 min')).toBeVisible();
  });

  test('says that who is next in line is not known when the server does not say', async ({ page }) => {
    await page.route('**/v1/explain*', (route) => route.fulfill(refused));
    await page.goto('/oncall');
    const now = page.getByRole('region', { name: 'On call now' });
    await expect(now.getByText('Who is next in line is not known')).toBeVisible();
    await expect(now.getByText(/No later step|It names no escalation policy/)).toHaveCount(0);
  });
});

test('the inbox says that no mail server is set up only when there is none', async ({ page, mara }) => {
  await declare(mara);
  await expect.poll(() => mara.get<ListInboxResponseJson>('/v1/inbox')).toHaveProperty('mails');
  await open(page, '/inbox');
  await expect(page.getByText('No mail server is set up')).toBeVisible();
  await page.route('**/v1/installation', (route) => route.fulfill({ json: { notices: [], mail: 'server' } }));
  await open(page, '/inbox');
  await expect(page.getByText('Mail goes out by the mail server')).toBeVisible();
  await expect(page.getByText('No mail server is set up')).toHaveCount(0);
  await page.route('**/v1/installation', (route) => route.fulfill(refused));
  await page.goto('/inbox');
  const mails = page.getByRole('region', { name: 'Mail' });
  await expect(mails.getByRole('list')).toBeVisible();
  await expect(page.getByText('No mail server is set up')).toHaveCount(0);
  await page.route('**/v1/inbox*', (route) => route.fulfill({ json: { mails: [] } }));
  await page.reload();
  await expect(mails.getByText('No mail is kept here.')).toBeVisible();
  await expect(mails.getByText('arrives here')).toHaveCount(0);
});

test('a policy is said to be unused only when that is known', async ({ page }) => {
  await page.route('**/v1/services', (route) => route.fulfill(refused));
  await page.goto(policy('Managers, last step'));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Managers, last step');
  await expect(page.getByText('Failed to load services')).toBeVisible();
  await expect(page.getByText('No service uses this policy')).toHaveCount(0);
});
