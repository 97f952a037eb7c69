import type { ListNotificationsResponseJson } from '@nightbell/proto';
import { open, read } from './clean';
import { expect, signIn, test } from './fixtures';
import { declare } from './made';

test.use({ expectedFaults: /409/ });

test('a second contact method is paged from the moment it is added, by the rules that are shown', async ({
  page,
  nightbell,
}) => {
  const ada = await nightbell.register();
  await signIn(page, ada);
  await open(page, '/oncall/contacts');
  await page.getByRole('button', { name: 'Add contact method' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add contact method' });
  await dialog.getByLabel('Name').fill('Night mail');
  await dialog.getByLabel('E-mail address').fill('night@example.com');
  await dialog.getByRole('button', { name: 'Add contact method' }).click();
  await expect(dialog).toBeHidden();

  const urgent = page.getByRole('region', { name: 'Critical, high and medium severity' });
  await expect(urgent.getByRole('listitem')).toHaveText([/At once E-mail/, /At once Night mail/]);
  const low = page.getByRole('region', { name: 'Low severity' });
  await expect(low.getByRole('listitem')).toHaveCount(2);

  const paged = async (severity: string) => {
    const { id } = await declare(ada, undefined, { severity });
    const path = `/v1/incidents/${id}/notifications`;
    const { notifications = [] } = await ada.get<ListNotificationsResponseJson>(path);
    return notifications.map(({ contact_hint }) => contact_hint).sort();
  };
  const own = `${ada.email[0]}…@${ada.email.split('@')[1]}`;
  expect(await paged('high')).toEqual([own, 'n…@example.com'].sort());

  // Low ones are not to wake anybody by it: the rule goes, and is not used for them.
  const rule = low.getByRole('button', { name: 'Delete the rule: At once Night mail' });
  await read(rule);
  await rule.click();
  await expect(low.getByRole('listitem')).toHaveCount(1);
  expect(await paged('low')).toEqual([own]);

  const method = page.getByRole('button', { name: 'Delete Night mail', exact: true });
  await read(method);
  await method.click();
  await page
    .getByRole('dialog', { name: 'Delete contact method' })
    .getByRole('button', { name: 'Delete Night mail' })
    .click();
  await expect(urgent.getByRole('listitem')).toHaveCount(1);
  expect(await paged('high')).toEqual([own]);
});

test('the only contact of an owner cannot be deleted, and the dialog says why', async ({
  page,
  nightbell,
}) => {
  const ada = await nightbell.register();
  await signIn(page, ada);
  await open(page, '/oncall/contacts');
  await page.getByRole('button', { name: 'Delete E-mail', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete contact method' });
  await expect(dialog.getByText('Nothing else reaches you: nobody could page you.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Delete E-mail' }).click();
  await expect(dialog.getByText(/this is an owner's only contact\. Add another one first/)).toBeVisible();
});
