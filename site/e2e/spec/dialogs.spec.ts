import type { Page } from '@playwright/test';
import { timezones } from '../../app/lib/time/timezones';
import { expect, sentences } from './reader';

const landing = { path: '/', who: ['visitor'] } as const;

/** Looks at a dialog of the landing page, and closes it again by its button. */
async function within(
  page: Page,
  button: string,
  title: string,
  seen: (dialog: ReturnType<Page['getByRole']>) => unknown,
) {
  await page.getByRole('button', { name: button }).first().click();
  const dialog = page.getByRole('dialog', { name: title });
  await expect(dialog).toBeVisible();
  await seen(dialog);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
}
type Seen = Parameters<typeof within>[3];
const registering = (page: Page, seen: Seen) => within(page, 'Get Early Access', 'Create your account', seen);
const signingIn = (page: Page, seen: Seen) => within(page, 'Log in', 'Log in', seen);

const screen = sentences(2, 'registration dialog', landing);
screen('it is modal, and its close button closes it', (page) =>
  registering(page, (dialog) =>
    expect(dialog.evaluate((element) => element.matches(':modal'))).resolves.toBe(true),
  ),
);
for (const type of ['Individual', 'Organization'])
  screen(`user type ${type}`, (page) =>
    registering(page, (dialog) =>
      expect(
        dialog.getByRole('group', { name: 'Account type' }).getByRole('button', { name: type }),
      ).toBeVisible(),
    ),
  );
for (const field of ['Name', 'Email', 'Password'])
  screen(`field ${field}`, (page) =>
    registering(page, (dialog) => expect(dialog.getByLabel(field, { exact: true })).toBeVisible()),
  );
screen('the name of the organization is asked of an organization only', (page) =>
  registering(page, async (dialog) => {
    await expect(dialog.getByLabel('Organization name')).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Organization' }).click();
    await expect(dialog.getByLabel('Organization name')).toBeVisible();
    await dialog.getByRole('button', { name: 'Individual' }).click();
    await expect(dialog.getByLabel('Organization name')).toHaveCount(0);
  }),
);
screen('phone is optional', (page) =>
  registering(page, (dialog) => expect(dialog.getByLabel('Phone optional')).not.toHaveAttribute('required')),
);
screen('the timezone is UTC by default', (page) =>
  registering(page, (dialog) => expect(dialog.getByLabel('Timezone')).toHaveValue('UTC')),
);
screen('it notes that registering means agreeing to the Terms of Service', (page) =>
  registering(page, async (dialog) => {
    await expect(dialog).toContainText('By registering you agree to the Terms of Service.');
    await expect(dialog.getByRole('link', { name: 'Terms of Service' })).toHaveAttribute('href', '/terms');
  }),
);
screen('the submit button is enabled while idle', (page) =>
  registering(page, (dialog) => expect(dialog.getByRole('button', { name: 'Create account' })).toBeEnabled()),
);

const login = sentences(2, 'login dialog', landing);
for (const field of ['Email', 'Password'])
  login(`field ${field} is required`, (page) =>
    signingIn(page, (dialog) => expect(dialog.getByLabel(field)).toHaveAttribute('required', '')),
  );
login('submit button', (page) =>
  signingIn(page, (dialog) =>
    expect(dialog.getByRole('button', { name: 'Log in' })).toHaveAttribute('type', 'submit'),
  ),
);
login('close button', (page) => signingIn(page, () => undefined));
login('forgotten password shows an alert to contact support', (page) =>
  signingIn(page, async (dialog) => {
    const alert = page.waitForEvent('dialog');
    const press = dialog.getByRole('button', { name: 'Forgot password?' }).click();
    const shown = await alert;
    expect(shown.message()).toContain('contact support');
    await shown.accept();
    await press;
  }),
);

const rule = sentences(5, 'registration', landing);
for (const field of ['Name', 'Email', 'Password'])
  rule(`${field} is required`, (page) =>
    registering(page, (dialog) =>
      expect(dialog.getByLabel(field, { exact: true })).toHaveAttribute('required', ''),
    ),
  );
rule('the e-mail address must have the format of one', (page) =>
  registering(page, async (dialog) => {
    const email = dialog.getByLabel('Email');
    await email.fill('nobody');
    expect(await email.evaluate((field: HTMLInputElement) => field.validity.typeMismatch)).toBe(true);
  }),
);
rule('the name of the organization is required', (page) =>
  registering(page, async (dialog) => {
    await dialog.getByRole('button', { name: 'Organization' }).click();
    await expect(dialog.getByLabel('Organization name')).toHaveAttribute('required', '');
  }),
);
sentences(
  5,
  'login',
  landing,
)('the e-mail address must have the format of one', (page) =>
  signingIn(page, (dialog) => expect(dialog.getByLabel('Email')).toHaveAttribute('type', 'email')),
);

const zones = [
  ...['UTC', 'America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'],
  ...['Europe/London', 'Europe/Paris', 'Europe/Berlin', 'Asia/Tokyo', 'Asia/Shanghai', 'Asia/Kolkata'],
  ...['Australia/Sydney', 'Pacific/Auckland'],
];
sentences(
  9,
  'time zones',
  landing,
)('registration offers these 13, in this order', (page) =>
  registering(page, async (dialog) => {
    await expect(dialog.getByLabel('Timezone').locator('option')).toHaveText(zones);
    expect(timezones).toHaveLength(13);
  }),
);
