import { expectCleanInBothThemes, expectToFit, open } from './clean';
import { expect, incidentPath, reportedPath, signIn, test } from './fixtures';

const pages = [
  '/',
  '/terms',
  '/privacy',
  '/cookies',
  '/nowhere',
  '/dashboard',
  '/incidents',
  incidentPath,
  reportedPath,
  '/oncall',
  '/oncall?view=rotations&range=month',
  '/oncall?view=overrides&range=fortnight',
  '/oncall?range=day',
  '/oncall/schedules/new',
  '/oncall/schedules/h1',
  '/oncall/contacts',
  '/oncall/policies',
  '/oncall/policies/new',
  '/oncall/policies/p3',
  '/oncall/teams',
  '/oncall/maintenance',
  '/oncall/explain?service=s1&severity=high&at=2026-11-23T02:00:00Z',
  '/services',
  '/services/s1',
  '/services/s2',
  '/integrations',
  '/inbox',
];
const dialogs: [name: string, path: string, button: string][] = [
  ['registration', '/', 'Get Early Access'],
  ['sales', '/', 'Contact sales'],
  ['create incident', '/incidents', 'Create Incident'],
  ['assign', incidentPath, 'Assign'],
  ['escalate', incidentPath, 'Escalate'],
  ['add service', '/services', 'Add Service'],
  ['override', '/oncall', 'Add override'],
  ['edit override', '/oncall?view=overrides', 'Edit the override of'],
  ['delete override', '/oncall?view=overrides', 'Delete the override of'],
  ['delete schedule', '/oncall/schedules/h1', 'Delete'],
  ['delete policy', '/oncall/policies/p1', 'Delete'],
  ['create team', '/oncall/teams', 'Create team'],
  ['delete team', '/oncall/teams', 'Delete Infrastructure'],
  ['plan maintenance', '/oncall/maintenance', 'Plan maintenance'],
  ['edit maintenance', '/oncall/maintenance', 'Edit Database upgrade'],
];

// Nothing here changes what another test sees.
test.describe.configure({ mode: 'parallel' });

for (const width of [1440, 390]) {
  test.describe(`at ${width}`, () => {
    test.use({ viewport: { width, height: 900 } });
    for (const path of pages) {
      test(`${path} has no fault that axe can find`, async ({ page }) => {
        await signIn(page);
        await open(page, path);
        // axe cannot run inside the closed frame of an HTML mail, and the mail is not this page.
        if (path === '/inbox' && width > 900) await page.getByRole('button', { name: 'Text' }).click();
        await expectCleanInBothThemes(page);
        await expectToFit(page);
      });
    }
  });
}

for (const [name, path, button] of dialogs) {
  test(`the ${name} dialog is clean, holds focus and closes with Escape`, async ({ page }) => {
    await signIn(page);
    await open(page, path);
    const opener = page.getByRole('button', { name: button }).first();
    await opener.click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectCleanInBothThemes(page);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(opener).toBeFocused();
  });
}
