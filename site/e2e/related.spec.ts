import type {
  GetInboxMailResponseJson,
  GetIncidentResponseJson,
  ListInboxResponseJson,
} from '@nightbell/proto';
import { expectClean, open, read, settle } from './clean';
import { expect, signIn, test } from './fixtures';
import { addService, declare, tell } from './made';

test('an incident is linked to another, and merged into it', async ({ page, mara }) => {
  const service = await addService(mara);
  const alerted = await tell(mara, service.key, {
    title: `Disk full on ${service.name}`,
    severity: 'critical',
  });
  const other = await declare(mara, undefined, { severity: 'low' });
  await signIn(page, mara);
  await open(page, `/incidents/${alerted.id}`);
  const related = page.getByRole('region', { name: 'Related Incidents' });

  // 1. Linked, from one side; both show it.
  await related.getByRole('button', { name: 'Link incident' }).click();
  const linking = page.getByRole('dialog', { name: 'Link incident' });
  await linking.getByRole('searchbox').fill(other.title);
  await settle(page);
  await expectClean(page);
  await linking.getByRole('button', { name: other.title }).click();
  await expect(linking).toBeHidden();
  await expect(related.getByRole('link', { name: other.title })).toBeVisible();
  await related.getByRole('link', { name: other.title }).click();
  await expect(related.getByRole('link', { name: `Disk full on ${service.name}` })).toBeVisible();
  const remove = related.getByRole('button', { name: /^Remove the link to/ });
  await read(remove);
  await remove.click();
  await expect(related).toContainText('No other incident has to do with this one.');

  // 2. Merged: it says first what follows, and the other goes on with its alert and its severity.
  await open(page, `/incidents/${alerted.id}`);
  await related.getByRole('button', { name: 'Merge into another' }).click();
  const merging = page.getByRole('dialog', { name: 'Merge into another incident' });
  await merging.getByRole('searchbox').fill(other.title);
  await settle(page);
  await read(merging.getByRole('button', { name: other.title }));
  await merging.getByRole('button', { name: other.title }).click();
  await expect(merging).toContainText('becomes critical');
  await settle(page);
  await expectClean(page);
  await merging.getByRole('button', { name: 'Merge', exact: true }).click();
  await expect(merging).toBeHidden();
  await expect(page.getByLabel('Details')).toContainText('Resolved');
  await expect(page.getByText('which has its alerts since')).toBeVisible();
  const { incident } = await mara.get<GetIncidentResponseJson>(`/v1/incidents/${other.id}`);
  expect(incident).toMatchObject({ severity: 'critical', alert_count: 1, merged: [{ id: alerted.id }] });
  // What comes about the same joins the other one.
  const again = await tell(mara, service.key, {
    title: `Disk full on ${service.name}`,
    severity: 'critical',
  });
  expect(again.id).not.toBe(alerted.id);
  await mara.post(`/v1/incidents/${other.id}/resolve`, {});
});

test('subscribers are mailed what happens, and only as long as they want', async ({ page, mara }) => {
  const service = await addService(mara);
  const title = `Slow on ${service.name}`;
  const event = { title, dedup_key: 'slow', severity: 'low' };
  const { id } = await tell(mara, service.key, event);
  await signIn(page, mara);
  await open(page, `/incidents/${id}`);
  const subscribers = page.getByRole('region', { name: 'Subscribers' });
  await subscribers.getByRole('button', { name: 'Mail me its news' }).click();
  await expect(subscribers).toContainText('(you)');
  await settle(page);
  await expectClean(page);
  await tell(mara, service.key, { ...event, severity: 'high' });
  await expect(async () => {
    const { mails = [] } = await mara.get<ListInboxResponseJson>('/v1/inbox');
    const news = mails.find(
      ({ subject = '' }) => subject.includes('is triggered') && subject.includes(title),
    );
    expect(news).toBeDefined();
    const { mail } = await mara.get<GetInboxMailResponseJson>(`/v1/inbox/${news?.id}`);
    expect(mail?.text).toContain('Severity changed from low to high');
  }).toPass({ timeout: 30_000 });
  const leave = subscribers.getByRole('button', { name: 'Unsubscribe' });
  await read(leave);
  await leave.click();
  await expect(subscribers).toContainText('Nobody is mailed what happens here.');
  await mara.post(`/v1/incidents/${id}/resolve`);
});

test('the runbook of a service stands on its incidents', async ({ page, mara }) => {
  const service = await addService(mara);
  await mara.patch(`/v1/services/${service.id}`, { runbook_url: 'https://wiki.example.org/runbooks/disk' });
  const { id } = await declare(mara, undefined, { service_id: service.id, severity: 'low' });
  await signIn(page, mara);
  await open(page, `/incidents/${id}`);
  await expect(page.getByRole('link', { name: 'Runbook' })).toHaveAttribute(
    'href',
    'https://wiki.example.org/runbooks/disk',
  );
  await mara.post(`/v1/incidents/${id}/resolve`, {});
});
