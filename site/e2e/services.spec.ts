import type { ListIncidentsResponseJson } from '@nightbell/proto';
import { open, read } from './clean';
import { expect, signIn, test } from './fixtures';
import { addService, tell } from './made';

test.use({ expectedFaults: /404|412/ });

test('a service is edited from its page and from the list, and a second writer is asked', async ({
  page,
  nightbell,
}) => {
  const ada = await nightbell.register();
  const { id, name } = await addService(ada);
  await signIn(page, ada);
  await open(page, '/services');
  await page.getByRole('button', { name: `Edit ${name}` }).click();
  const form = page.getByRole('dialog', { name: 'Edit service' });
  await form.getByLabel('Owner').selectOption('Ada Byron');
  await form.getByLabel('Repo').fill('https://git.example/checkout');
  await form.getByLabel('Tier').selectOption('1');
  await form.getByRole('button', { name: 'Save service' }).click();
  await expect(form).toBeHidden();
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('Ada Byron');

  await page.getByRole('link', { name }).click();
  const configuration = page.getByRole('region', { name: 'Configuration' });
  await expect(configuration).toContainText('git.example/checkout');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await form.getByLabel('Name').fill('Checkout, ours');
  await ada.patch(`/v1/services/${id}`, { tier: 4 });
  await form.getByRole('button', { name: 'Save service' }).click();
  await expect(form.getByText('Somebody else changed this while you were writing')).toBeVisible();
  await form.getByRole('button', { name: 'Keep mine on top' }).click();
  await form.getByRole('button', { name: 'Save service' }).click();
  await expect(page.getByRole('heading', { name: 'Checkout, ours', level: 1 })).toBeVisible();
  await expect(configuration).toContainText('4');
});

test('a test alert opens an incident; a new key replaces the address; a deleted service is not found', async ({
  page,
  nightbell,
}) => {
  const ada = await nightbell.register();
  const { id, name, key } = await addService(ada);
  await signIn(page, ada);
  await open(page, `/services/${id}`);
  await page.getByRole('button', { name: 'Send test alert' }).click();
  const asked = page.getByRole('dialog');
  await expect(asked).toContainText('whoever is on call is paged');
  await asked.getByRole('button', { name: 'Send test alert' }).click();
  await expect(page.getByText('Test alert sent successfully!')).toBeVisible();
  const active = page.getByRole('region', { name: 'Active Incidents' });
  await expect(active.getByRole('link', { name: 'TestAlert' })).toBeVisible();
  const { incidents = [] } = await ada.get<ListIncidentsResponseJson>(`/v1/incidents?service_id=${id}`);
  expect(incidents).toMatchObject([{ severity: 'critical' }]);
  expect(incidents[0]?.description).toContain(`A test alert for ${name}, sent by hand`);

  await page.getByRole('button', { name: 'Create Incident' }).click();
  await expect(asked.getByLabel('Service')).toHaveValue(id);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Show the webhook address' }).click();
  await expect(page.getByText(key).first()).toBeVisible();
  await page.getByRole('button', { name: 'Make a new key' }).click();
  await asked.getByRole('button', { name: 'Make a new key' }).click();
  await expect(page.getByText('There is a new key')).toBeVisible();
  await expect(page.getByText(key)).toHaveCount(0);

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await asked.getByRole('button', { name: 'Delete service' }).click();
  await expect(page.getByRole('heading', { name: 'Services', level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name })).toHaveCount(0);
  await open(page, `/services/${id}`);
  await expect(page.getByRole('heading', { name: 'No such service' })).toBeVisible();
});

test('the key of a service is on no page of another, on the way back from it either', async ({
  page,
  nightbell,
}) => {
  const ada = await nightbell.register();
  const [shop, cards] = [await addService(ada), await addService(ada)];
  await ada.patch(`/v1/services/${shop.id}`, { depends_on_ids: [cards.id] });
  await signIn(page, ada);
  await open(page, `/services/${shop.id}`);
  await page.getByRole('link', { name: cards.name }).click();
  await expect(page.getByRole('heading', { name: cards.name, level: 1 })).toBeVisible();
  const ask = page.getByRole('button', { name: 'Show the webhook address' });
  await read(ask); // it stood on the page before too
  await ask.click();
  await expect(page.getByText(cards.key).first()).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { name: shop.name, level: 1 })).toBeVisible();
  await expect(page.getByText(cards.key)).toHaveCount(0);
  await read(ask);
  await ask.click();
  await expect(page.getByText(shop.key).first()).toBeVisible();
});

test('what a service needs is chosen, drawn with its health, and told on the other page too', async ({
  page,
  nightbell,
}) => {
  const ada = await nightbell.register();
  const [shop, cards] = [await addService(ada), await addService(ada)];
  await signIn(page, ada);
  await open(page, `/services/${shop.id}`);
  const card = page.getByRole('region', { name: 'Dependencies' });
  await expect(card).toContainText('It depends on no other service, and none depends on it.');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Edit service' });
  await form.getByRole('combobox', { name: 'Depends on' }).fill(cards.name);
  await page.getByRole('option', { name: cards.name, exact: true }).click();
  const save = form.getByRole('button', { name: 'Save service' });
  await read(save); // the option lay over it
  await save.click();
  await expect(form).toBeHidden();
  await expect(card.getByRole('region', { name: 'Depends on' })).toContainText(`${cards.name}Healthy`);

  await tell(ada, cards.key, { action: 'trigger', title: 'Cards are refused', severity: 'critical' });
  await expect(card.getByRole('region', { name: 'Depends on' })).toContainText(`${cards.name}Down`);
  await card.getByRole('link', { name: cards.name }).click();
  await expect(page.getByRole('heading', { name: cards.name, level: 1 })).toBeVisible();
  await expect(card.getByRole('region', { name: 'Used by' })).toContainText(`${shop.name}Healthy`);
});
