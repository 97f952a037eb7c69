import type { CreateInvitationResponseJson, ListUsersResponseJson } from '@nightbell/proto';
import { logIn } from './caller';
import { open, read } from './clean';
import { expect, signIn, test } from './fixtures';

test.use({ expectedFaults: /401|403|404|409|422/ });

test('an account goes on in another of its organizations, and sees nothing of the one before', async ({
  page,
  nightbell,
}) => {
  const [ada, other] = [await nightbell.register(), await nightbell.register()];
  await other.patch(`/v1/organizations/${other.session.user.org_id}`, { name: 'Harbour Labs' });
  const made = await other.post<CreateInvitationResponseJson>('/v1/invitations', {
    email: ada.email,
    role: 'viewer',
    send: 'link',
  });
  await page.goto(made.url ?? '');
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Join Harbour Labs' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();

  await page.getByRole('button', { name: 'Organization Harbour Labs: switch' }).click();
  await page
    .getByRole('dialog', { name: 'Your organizations' })
    .getByRole('button', { name: /Acme/ })
    .click();
  await expect(page.getByRole('button', { name: 'Organization Acme: switch' })).toBeVisible();
  await open(page, '/users');
  await expect(page.getByRole('row', { name: /Ada Byron/ })).toHaveCount(1);
  await expect(page.getByText(other.email)).toHaveCount(0);
  // The session of the organization before is over: only the first sign-in and this one are left.
  await open(page, '/settings/sessions');
  await expect(page.getByText('This device')).toBeVisible();
  await expect(page.getByText(/Harbour Labs, since/)).toHaveCount(0);
});

test('a device that is signed out elsewhere is out within five seconds', async ({
  page,
  browser,
  nightbell,
}) => {
  const ada = await nightbell.register();
  const elsewhere = await browser.newContext({ baseURL: nightbell.url });
  const phone = await elsewhere.newPage();
  await signIn(elsewhere, await logIn(nightbell.url, ada.email, ada.password));
  await phone.goto('/incidents');
  await expect(phone.getByRole('heading', { name: 'Incidents' })).toBeVisible();

  await signIn(page, ada);
  await open(page, '/settings/sessions');
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  const pressed = Date.now();
  await expect(phone.getByText('Authentication expired. Please log in again.')).toBeVisible();
  expect(Date.now() - pressed).toBeLessThan(5000);
  await expect(page.getByText('Signed out everywhere else.')).toBeVisible();
  await expect(page.getByText('This device')).toBeVisible();
  await elsewhere.close();
});

test('an invitation by link is copied, made again, and revoked', async ({ page, nightbell }) => {
  const ada = await nightbell.register();
  await signIn(page, ada);
  await open(page, '/users');
  await page.getByRole('button', { name: 'Invite people' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite people' });
  await dialog.getByLabel('E-mail addresses').fill('wei@acme.example, priya@acme.example');
  await dialog.getByText('Viewer', { exact: true }).click();
  await dialog.getByRole('button', { name: 'As a link' }).click();
  await dialog.getByRole('button', { name: 'Make 2 links' }).click();
  const links = page.getByRole('dialog', { name: 'Copy the links' });
  await expect(links.getByText(/\/invitation#nbi_/)).toHaveCount(2);
  await links.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('tab', { name: /Invitations/ }).click();
  await page.getByRole('button', { name: 'Make a new link for wei@acme.example' }).click();
  await expect(page.getByRole('dialog', { name: 'Copy the link' }).getByText(/#nbi_/)).toBeVisible();
  await page.keyboard.press('Escape');
  const revoke = page.getByRole('button', { name: 'Revoke the invitation of wei@acme.example' });
  await read(revoke); // a new link may move its row
  await revoke.click();
  await expect(page.getByRole('row', { name: /wei@acme.example/ })).toHaveCount(0);
  await expect(page.getByRole('row', { name: /priya@acme.example/ })).toBeVisible();
});

test('a role is changed, a profile saved, and a key shown once', async ({ page, nightbell }) => {
  const ada = await nightbell.register();
  await signIn(page, ada);
  await open(page, '/settings');
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel(/Phone/).fill('call me');
  await page.getByRole('button', { name: 'Save profile' }).click();
  await expect(page.getByLabel(/Phone/)).toHaveAccessibleDescription(/This is not a phone number/);
  await page.getByLabel(/Phone/).fill('+49 30 1234567');
  await page.getByRole('button', { name: 'Save profile' }).click();
  await expect(page.getByText('Profile saved.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Ada Lovelace: profile and settings' })).toBeVisible();
  const { users = [] } = await ada.get<ListUsersResponseJson>('/v1/users');
  expect(users.map(({ name }) => name)).toEqual(['Ada Lovelace']);

  await open(page, '/settings/api-keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('Deploy bot');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByRole('dialog', { name: 'Copy the key now' }).locator('code').textContent();
  expect(key).toMatch(/^nbk_/);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await expect(page.getByText(key ?? '')).toHaveCount(0);
  await expect(page.getByText('Deploy bot')).toBeVisible();
  await open(page, '/settings/audit');
  await expect(page.getByText(/Ada (Byron|Lovelace) created API key/)).toBeVisible();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  expect((await saved).suggestedFilename()).toBe('nightbell-audit.csv');
});
