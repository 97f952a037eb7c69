import { readFile } from 'node:fs/promises';
import type {
  AcceptInvitationResponseJson,
  CreateInvitationResponseJson,
  CreateScheduleResponseJson,
  GetScheduleResponseJson,
} from '@nightbell/proto';
import { open } from './clean';
import { expect, signIn, test } from './fixtures';
import { addService, declare } from './made';

test.use({ expectedFaults: /401|403|404|409|422/ });

test('a person takes their data along, names who takes over, and deletes the account', async ({
  page,
  nightbell,
}) => {
  const [ada, grace] = [await nightbell.register(), await nightbell.register()];
  const invited = await ada.post<CreateInvitationResponseJson>('/v1/invitations', {
    email: grace.email,
    role: 'responder',
    send: 'link',
  });
  const token = (invited.url ?? '').split('#')[1];
  const joined = await ada.post<AcceptInvitationResponseJson>('/v1/auth/accept-invitation', {
    token,
    password: grace.password,
  });
  const { schedule } = await ada.post<CreateScheduleResponseJson>('/v1/schedules', {
    name: 'Weeks',
    rotations: [
      { name: 'Weeks', unit: 'week', length: 1, handover: '08:00', turns: [{ user_ids: [joined.user?.id] }] },
    ],
  });
  await signIn(page, grace);
  await open(page, '/settings');
  const card = page.getByRole('region', { name: 'Your data' });
  const saved = page.waitForEvent('download');
  await card.getByRole('button', { name: 'Download' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe('nightbell-account.json');
  const content = JSON.parse(await readFile(await file.path(), 'utf8'));
  expect(content.account.email).toBe(grace.email);
  expect(content.organizations).toHaveLength(2);
  expect(JSON.stringify(content)).not.toContain(ada.email);

  await card.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account' });
  const confirm = dialog.getByRole('button', { name: 'Delete account' });
  await expect(dialog.getByText('Nobody else is in it', { exact: false })).toBeVisible();
  await expect(dialog.getByText('Weeks')).toBeVisible();
  await dialog.getByLabel('Your password').fill('not it at all');
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel('Replace by').fill('Ada');
  await page.getByRole('option', { name: /Ada Byron/ }).click();
  await confirm.click();
  await expect(dialog.getByText('This is not your password.')).toBeVisible();
  await dialog.getByLabel('Your password').fill(grace.password);
  await confirm.click();
  await expect(page.getByText('Your account is deleted.', { exact: false })).toBeVisible();

  const after = await ada.get<GetScheduleResponseJson>(`/v1/schedules/${schedule?.id}`);
  expect(after.schedule?.rotations?.[0]?.turns?.[0]?.users?.map(({ id }) => id)).toEqual([
    ada.session.user.id,
  ]);
});

test('the only owner of others is told what to do first', async ({ page, nightbell }) => {
  const [ada, grace] = [await nightbell.register(), await nightbell.register()];
  const invited = await ada.post<CreateInvitationResponseJson>('/v1/invitations', {
    email: grace.email,
    role: 'viewer',
    send: 'link',
  });
  await ada.post('/v1/auth/accept-invitation', {
    token: (invited.url ?? '').split('#')[1],
    password: grace.password,
  });
  await signIn(page, ada);
  await open(page, '/settings');
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account' });
  await expect(dialog.getByText('You are its only owner', { exact: false })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Delete account' })).toBeDisabled();
});

test('an owner deletes the organization, and its senders are refused', async ({ page, nightbell }) => {
  const ada = await nightbell.register();
  const service = await addService(ada);
  await declare(ada, 'Orders stopped', { service_id: service.id });
  await signIn(page, ada);
  await open(page, '/settings/organization');
  await page.getByRole('button', { name: 'Delete organization' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Acme' });
  const confirm = dialog.getByRole('button', { name: 'Delete organization' });
  await dialog.getByLabel('Your password').fill(ada.password);
  await dialog.getByLabel('Type its name: Acme').fill('acme');
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel('Type its name: Acme').fill('Acme');
  await confirm.click();
  await expect(page.getByText('The organization is deleted.', { exact: false })).toBeVisible();
  const event = await fetch(`${nightbell.url}/v1/events`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'Orders stopped' }),
  });
  expect(event.status).toBe(401);
});
