import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expectClean, expectToFit, open, settle } from './clean';
import { expect, signIn, test } from './fixtures';
import { addService } from './made';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

// What the Copy button of a block gives.
async function copied(page: Page, title: string): Promise<string> {
  const block = page.locator('figure').filter({ has: page.getByText(title, { exact: true }) });
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await block.getByRole('button', { name: 'Copy' }).click();
  await expect(block.getByRole('button', { name: 'Copied' })).toBeVisible();
  return page.evaluate(() => navigator.clipboard.readText());
}

// Runs what somebody would paste into a terminal, and gives what it prints.
function pasted(command: string, env: Record<string, string> = {}): string {
  return execFileSync('bash', ['-e'], {
    input: command,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  });
}

const choose = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Senders' }).getByRole('button', { name }).click();

test('a stock Alertmanager takes the configuration, and the page turns green when the first alert comes', async ({
  page,
  nightbell,
}) => {
  const ada = await nightbell.register();
  const service = await addService(ada);
  await signIn(page, ada);
  await open(page, '/integrations');
  await expect(page.getByText('Not Connected')).toHaveCount(6);
  await page.getByRole('button', { name: 'Add Integration' }).click();
  await page.getByRole('combobox', { name: /Service/ }).selectOption(service.name);
  await expect(page.getByText('Waiting for the first alert')).toBeVisible();
  await expect(page.getByText(service.key)).toHaveCount(0);

  const config = await copied(page, 'alertmanager.yml');
  expect(config).toContain(`url: '${nightbell.url}/v1/webhooks/prometheus/${service.key}'`);
  const dir = mkdtempSync(join(tmpdir(), 'alertmanager-'));
  writeFileSync(join(dir, 'alertmanager.yml'), config);
  expect(
    execFileSync('amtool', ['check-config', join(dir, 'alertmanager.yml')], { encoding: 'utf8' }),
  ).toContain('1 receivers');
  rmSync(dir, { recursive: true });

  const command = await copied(page, 'Try it from a terminal');
  expect(pasted(command)).toContain('Test alert sent successfully!');
  await expect(page.getByText('Receiving')).toBeVisible();
  await expect(
    page.getByText(/^The first alert came just now: A test alert from a terminal, opened #/),
  ).toBeVisible();
  await settle(page);
  await expectClean(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await settle(page);
  await expectClean(page);
  await expectToFit(page);
});

const terminals: [sender: string, block: string, answer: RegExp][] = [
  ['Your own script', 'Open an incident', /"status":"created"/],
  ['Your own script', 'Resolve it', /"status":"(resolved|ignored)"/],
  ['Cron jobs', 'Try it from a terminal', /"status":"stopped"/],
  ['GitHub Actions', 'A step of the workflow', /"id"/],
  ['Other deployments', 'Tell of a deployment', /"id"/],
  ['Latency and error rate', 'Send a reading', /"accepted_count":1/],
];

test('every command of the catalogue does what it says', async ({ page, nightbell }) => {
  const ada = await nightbell.register();
  const service = await addService(ada);
  await signIn(page, ada);
  for (const [sender, block, answer] of terminals) {
    await open(page, '/integrations');
    await choose(page, sender);
    await page.getByRole('combobox', { name: /Service/ }).selectOption(service.name);
    let command = await copied(page, block);
    if (sender === 'GitHub Actions') command = stepOf(command);
    expect(pasted(command, runner(service.key)), `${sender}: ${block}`).toMatch(answer);
    await expect(page.getByText('Receiving')).toBeVisible();
  }
  await open(page, '/integrations');
  await expect(page.getByRole('button', { name: 'Configure GitHub' })).toBeVisible();
});

// The words that GitHub's machine gives a step, and the secret that its env names.
const runner = (key: string) => ({
  NIGHTBELL_SERVICE_KEY: key,
  GITHUB_SHA: 'd6be1909f0b3c1a2d6be1909f0b3c1a2d6be1909',
  GITHUB_ACTOR: 'octocat',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/checkout',
});

// The command of a step, without the indentation that YAML takes away.
function stepOf(step: string): string {
  const [, run = ''] = step.split('run: |\n');
  return run.replaceAll(/^ {4}/gm, '');
}

test('a webhook is made, tried, changed, paused and deleted', async ({ page, nightbell }) => {
  const ada = await nightbell.register();
  await signIn(page, ada);
  await open(page, '/integrations');
  await page.getByRole('link', { name: 'Open webhooks' }).click();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByLabel('Name').fill('Status page');
  // A name that never leads anywhere (RFC 6761), so that nobody is told of a test.
  await page.getByLabel('Address').fill('https://hooks.nightbell.invalid/T0/secret');
  await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByText(/^whsec_/)).toBeVisible();
  await settle(page);
  await expectClean(page);
  await page.getByRole('button', { name: 'I have stored it' }).click();

  await page.getByRole('link', { name: 'Status page' }).click();
  await expect(page.getByText('Nothing was delivered in the last 30 days.')).toBeVisible();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await expect(page.getByRole('row', { name: /webhook\.test/ })).toContainText('Trying again');
  await expect(page.getByText('T0/secret')).toHaveCount(0);
  await settle(page);
  await expectClean(page);
  await page.getByRole('button', { name: 'Show the whole address' }).click();
  await expect(page.getByText('https://hooks.nightbell.invalid/T0/secret')).toBeVisible();

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('checkbox', { name: 'Escalated' }).check();
  await page.getByRole('button', { name: 'Save webhook' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByText('Triggered, Acknowledged, Escalated, Resolved')).toBeVisible();
  await page.getByRole('button', { name: 'Replay events' }).click();
  await settle(page);
  await expectClean(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Replay events' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await settle(page);
  await expectClean(page);
  await expectToFit(page);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await expect(page.getByText(/^No webhook yet\./)).toBeVisible();
});
