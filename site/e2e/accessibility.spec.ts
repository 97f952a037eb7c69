import type { Page } from '@playwright/test';
import type { Caller } from './caller';
import { expectClean, expectToFit, settle, wear } from './clean';
import { idOf, policy, schedule, service, triggered } from './demo';
import { looks } from './looks';
import { declare } from './made';
import { report } from './reported';
import { expect, type Reader, test, type Who } from './spec/reader';

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
  ['an invitation', '/invitation#nbi_nothing'],
];
const dialogs: [name: string, path: string, button: string, who?: Who][] = [
  ['login', '/', 'Log in', 'visitor'],
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

// One page for all of them: what a fresh one loads and compiles is most of what a look at a page takes.
async function onPage(reader: Reader, address: string, seen: (page: Page) => Promise<void>): Promise<void> {
  const page = await reader.at(await pathOf(reader.caller, address));
  for (const { width, theme } of looks)
    await test.step(`at ${width} in ${theme}`, async () => {
      await page.setViewportSize({ width, height: 900 });
      if ((await page.locator('html').getAttribute('data-theme')) !== theme) await wear(page, theme);
      await settle(page);
      await seen(page);
    });
  // The next test finds it as it was.
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(reader.faults()).toEqual([]);
}

async function pathOf(caller: Caller, address: string): Promise<string> {
  if (address === 'reported') return report(caller);
  if (address === 'declared') return (await declare(caller)).path;
  if (address === '/inbox') await declare(caller);
  return address;
}

for (const [name, address] of pages)
  test(`${name} has no fault that axe can find`, async ({ look }) =>
    onPage(await look.as('demo'), address, async (page) => {
      // axe cannot run inside the closed frame of an HTML mail, and the mail is not this page.
      if (address === '/inbox' && (page.viewportSize()?.width ?? 0) > 900) {
        await page.getByRole('button', { name: 'Text' }).click();
        await settle(page);
      }
      await expectClean(page);
      await expectToFit(page);
    }));

for (const [name, address, button, who = 'demo'] of dialogs)
  test(`the ${name} dialog is clean, holds focus and closes with Escape`, async ({ look }) =>
    onPage(await look.as(who), address, async (page) => {
      const opener = page.getByRole('button', { name: button }).first();
      await opener.click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await settle(page);
      await expectClean(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
      await expect(opener).toBeFocused();
    }));
