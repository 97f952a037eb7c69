import { expectClean, expectToFit, open, settle } from './clean';
import { idOf, policy, schedule, service, triggered } from './demo';
import { expect, signIn, test } from './fixtures';
import { looks } from './looks';
import { declare } from './made';
import { report } from './reported';

const pages: [name: string, path: string][] = [
  ['the landing page', '/'],
  ['the terms', '/terms'],
  ['privacy', '/privacy'],
  ['cookies', '/cookies'],
  ['no page', '/nowhere'],
  ['the dashboard', '/dashboard'],
  ['incidents', '/incidents'],
  ['an incident', triggered],
  ['a reported error', 'reported'],
  ['on-call', '/oncall'],
  ['a month of rotations', '/oncall?view=rotations&range=month'],
  ['a fortnight of overrides', '/oncall?view=overrides&range=fortnight'],
  ['a day on-call', '/oncall?range=day'],
  ['a new schedule', '/oncall/schedules/new'],
  ['a schedule', schedule('24/7 Support')],
  ['contact methods', '/oncall/contacts'],
  ['policies', '/oncall/policies'],
  ['a new policy', '/oncall/policies/new'],
  ['a policy', policy('Platform, critical')],
  ['teams', '/oncall/teams'],
  ['maintenance', '/oncall/maintenance'],
  [
    'an explanation',
    `/oncall/explain?service=${idOf('service', 'Checkout API')}&severity=high&at=2026-11-23T02:00:00Z`,
  ],
  ['services', '/services'],
  ['a service with data', service('Checkout API')],
  ['a service without', service('Notification Relay')],
  ['integrations', '/integrations'],
  ['webhooks', '/integrations/webhooks'],
  ['the inbox', '/inbox'],
  ['users', '/users'],
  ['analytics', '/analytics'],
  ['the profile', '/settings'],
  ['password and devices', '/settings/sessions'],
  ['the organization', '/settings/organization'],
  ['API keys', '/settings/api-keys'],
  ['the audit log', '/settings/audit'],
  ['a new password', '/reset-password#nbr_nothing'],
];
const dialogs: [name: string, path: string, button: string][] = [
  ['registration', '/', 'Get Early Access'],
  ['sales', '/', 'Contact sales'],
  ['create incident', '/incidents', 'Create Incident'],
  ['assign', triggered, 'Assign'],
  ['escalate', 'declared', 'Escalate'],
  ['add service', '/services', 'Add Service'],
  ['edit service', service('Checkout API'), 'Edit'],
  ['override', '/oncall', 'Add override'],
  ['edit override', '/oncall?view=overrides', 'Edit the override of'],
  ['delete override', '/oncall?view=overrides', 'Delete the override of'],
  ['delete schedule', schedule('24/7 Support'), 'Delete'],
  ['delete policy', policy('Payments, critical'), 'Delete'],
  ['add contact method', '/oncall/contacts', 'Add contact method'],
  ['add rule', '/oncall/contacts', 'Add rule'],
  ['delete contact method', '/oncall/contacts', 'Delete E-mail'],
  ['create team', '/oncall/teams', 'Create team'],
  ['invite people', '/users', 'Invite people'],
  ['role', '/users', 'Change the role of Jonas Okafor'],
  ['remove somebody', '/users', 'Remove Jonas Okafor'],
  ['change password', '/settings/sessions', 'Change password'],
  ['create key', '/settings/api-keys', 'Create key'],
  ['leave', '/settings/organization', 'Leave'],
  ['delete account', '/settings', 'Delete account'],
  ['delete organization', '/settings/organization', 'Delete organization'],
  ['an integration', '/integrations', 'Add Datadog'],
  ['create webhook', '/integrations/webhooks', 'Create webhook'],
  ['delete team', '/oncall/teams', 'Delete Infrastructure'],
  ['plan maintenance', '/oncall/maintenance', 'Plan maintenance'],
  ['edit maintenance', '/oncall/maintenance', 'Edit Warehouse moves to its new disks'],
];

// Nothing here changes what another test sees.
test.describe.configure({ mode: 'parallel' });

for (const { width, theme } of looks) {
  test.describe(`at ${width} in ${theme}`, () => {
    test.use({ viewport: { width, height: 900 } });
    test.beforeEach(({ page, mara }) => signIn(page, mara, theme));
    for (const [name, address] of pages) {
      test(`${name} has no fault that axe can find`, async ({ page, mara }) => {
        if (address === '/inbox') await declare(mara);
        await open(page, address === 'reported' ? await report(mara) : address);
        // axe cannot run inside the closed frame of an HTML mail, and the mail is not this page.
        if (address === '/inbox' && width > 900) {
          await page.getByRole('button', { name: 'Text' }).click();
          await settle(page);
        }
        await expectClean(page);
        await expectToFit(page);
      });
    }

    for (const [name, address, button] of dialogs) {
      test(`the ${name} dialog is clean, holds focus and closes with Escape`, async ({ page, mara }) => {
        await open(page, address === 'declared' ? (await declare(mara)).path : address);
        const opener = page.getByRole('button', { name: button }).first();
        await opener.click();
        await expect(page.getByRole('dialog')).toBeVisible();
        await settle(page);
        await expectClean(page);
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toBeHidden();
        await expect(opener).toBeFocused();
      });
    }
  });
}
