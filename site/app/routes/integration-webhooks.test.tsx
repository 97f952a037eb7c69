import type {
  CreateWebhookSubscriptionResponseJson,
  GetWebhookSubscriptionKeyResponseJson,
  GetWebhookSubscriptionResponseJson,
  ListServicesResponseJson,
  ListTeamsResponseJson,
  ListWebhookDeliveriesResponseJson,
  ListWebhookSubscriptionsResponseJson,
  TestWebhookSubscriptionResponseJson,
  UpdateWebhookSubscriptionResponseJson,
  WebhookSubscriptionJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import IntegrationWebhook from './integration-webhook';
import IntegrationWebhooks from './integration-webhooks';

const webhook = {
  id: 'w1',
  name: 'Status page',
  url: 'https://hooks.example.com/…',
  event_types: ['incident.triggered', 'page.failed', 'of.a.newer.server'],
  filter: { service_ids: ['s1'], severities: ['critical'] },
  enabled: true,
  etag: 'v1',
} satisfies WebhookSubscriptionJson;
// What the calls that write answer, all at once.
type Saved = CreateWebhookSubscriptionResponseJson & TestWebhookSubscriptionResponseJson;
const sent: { method: string; path: string; body: unknown; match: string | null }[] = [];

beforeEach(() => {
  signIn();
  sent.length = 0;
  const note = async ({ request }: { request: Request }) => {
    const body = await request.json().catch(() => null);
    sent.push({
      method: request.method,
      path: new URL(request.url).pathname,
      body,
      match: request.headers.get('If-Match'),
    });
    return reply<Saved>({ secret: 'whsec_once', webhook_subscription: webhook, webhook_delivery: {} });
  };
  server.use(
    http.get('*/v1/services', () =>
      reply<ListServicesResponseJson>({ services: [{ id: 's1', name: 'Checkout' }] }),
    ),
    http.get('*/v1/teams', () => reply<ListTeamsResponseJson>({ teams: [] })),
    http.get('*/v1/webhook-subscriptions', () =>
      reply<ListWebhookSubscriptionsResponseJson>({ webhook_subscriptions: [webhook] }),
    ),
    http.get('*/v1/webhook-subscriptions/w1', () =>
      reply<GetWebhookSubscriptionResponseJson>({ webhook_subscription: webhook }),
    ),
    http.get('*/v1/webhook-subscriptions/w1/key', () =>
      reply<GetWebhookSubscriptionKeyResponseJson>({ url: 'https://hooks.example.com/T0/secret' }),
    ),
    http.get('*/v1/webhook-subscriptions/w1/deliveries', () =>
      reply<ListWebhookDeliveriesResponseJson>({
        webhook_deliveries: [
          {
            id: 'd2',
            event_type: 'incident.triggered',
            status: 'failed',
            attempt_count: 12,
            response_status: 500,
            detail: 'It answered 500.',
          },
          {
            id: 'd1',
            event_type: 'webhook.test',
            status: 'delivered',
            attempt_count: 1,
            response_status: 204,
          },
        ],
      }),
    ),
    http.post('*/v1/webhook-subscriptions*', note),
    http.post('*/v1/webhook-subscriptions/*', note),
    http.patch('*/v1/webhook-subscriptions/w1', note),
    http.delete('*/v1/webhook-subscriptions/w1', note),
  );
});

const one = () =>
  renderRoute('/integrations/webhooks/:id', IntegrationWebhook as never, '/integrations/webhooks/w1');
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));

describe('the webhooks', () => {
  it('are listed with what they are told of and how they stand', async () => {
    renderRoute('/integrations/webhooks', IntegrationWebhooks);
    const row = await screen.findByRole('listitem');
    expect(row).toHaveTextContent(
      'Status pagehttps://hooks.example.com/…, 3 events, only for 1 service, criticalEnabled',
    );
    expect(within(row).getByRole('link')).toHaveAttribute('href', '/integrations/webhooks/w1');
  });

  it('are made with the usual events, and their secret is shown once', async () => {
    renderRoute('/integrations/webhooks', IntegrationWebhooks);
    await press('Create webhook');
    const dialog = screen.getByRole('dialog', { name: 'Create webhook' });
    await userEvent.type(within(dialog).getByLabelText('Name'), 'Bot');
    await userEvent.type(within(dialog).getByLabelText('Address'), 'https://example.com/x');
    await userEvent.click(within(dialog).getByRole('checkbox', { name: 'Escalated' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Create webhook' }));
    expect(await screen.findByText('whsec_once')).toBeVisible();
    expect(sent).toMatchObject([
      {
        path: '/v1/webhook-subscriptions',
        body: {
          name: 'Bot',
          url: 'https://example.com/x',
          event_types: [
            'incident.triggered',
            'incident.acknowledged',
            'incident.resolved',
            'incident.escalated',
          ],
        },
      },
    ]);
    await press('I have stored it');
    expect(screen.queryByText('whsec_once')).toBeNull();
  });

  it('say so when there are none, and are for admins', async () => {
    server.use(
      http.get('*/v1/webhook-subscriptions', () =>
        reply<ListWebhookSubscriptionsResponseJson>({ webhook_subscriptions: [] }),
      ),
    );
    renderRoute('/integrations/webhooks', IntegrationWebhooks);
    expect(await screen.findByText(/^No webhook yet\./)).toBeVisible();
  });

  it('are not offered to responders', async () => {
    startSession({ user: { name: 'Rae', role: 'responder' }, accessToken: 'a', refreshToken: 'r' });
    renderRoute('/integrations/webhooks', IntegrationWebhooks);
    expect(await screen.findByText('Only admins and owners see this. Ask one of them.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Create webhook' })).toBeNull();
  });
});

describe('a webhook', () => {
  it('shows what it was told and what was answered, and sends it again', async () => {
    one();
    const failed = await screen.findByRole('row', { name: /incident\.triggered/ });
    expect(failed).toHaveTextContent('Given up');
    expect(failed).toHaveTextContent('It answered 500., 12 tries');
    expect(screen.getByRole('row', { name: /webhook\.test/ })).toHaveTextContent('Delivered204');
    await userEvent.click(within(failed).getByRole('button'));
    expect(sent[0]?.path).toBe('/v1/webhook-subscriptions/w1/deliveries/d2/redeliver');
  });

  it('tries what waits at once, and leaves alone what was not tried yet', async () => {
    server.use(
      http.get('*/v1/webhook-subscriptions/w1/deliveries', () =>
        reply<ListWebhookDeliveriesResponseJson>({
          webhook_deliveries: [
            {
              id: 'd2',
              event_type: 'page.sent',
              status: 'pending',
              attempt_count: 4,
              detail: 'HTTP 500',
              next_try_at: new Date(Date.now() + 600_000).toISOString(),
            },
            { id: 'd1', event_type: 'webhook.test', status: 'pending' },
          ],
        }),
      ),
    );
    one();
    expect(await screen.findByRole('row', { name: /page\.sent/ })).toHaveTextContent(
      /Trying again.*HTTP 500, 4 tries, next try in (9|10) minutes/,
    );
    expect(screen.getByRole('row', { name: /webhook\.test/ })).toHaveTextContent('SendingNot tried yet');
    await userEvent.click(screen.getByRole('button', { name: /^Try now/ }));
    expect(sent[0]?.path).toBe('/v1/webhook-subscriptions/w1/deliveries/d2/redeliver');
  });

  it('lists deliveries of one status, and replays what happened since a time', async () => {
    const asked: string[] = [];
    server.use(
      http.get('*/v1/webhook-subscriptions/w1/deliveries', ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('status') ?? '');
        return reply<ListWebhookDeliveriesResponseJson>({ webhook_deliveries: [] });
      }),
    );
    one();
    await press('Given up');
    expect(await screen.findByText('Nothing was given up in the last 30 days.')).toBeVisible();
    expect(asked).toContain('failed');
    await press('Replay events');
    const dialog = screen.getByRole('dialog', { name: 'Replay events' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Replay events' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent[0]?.path).toBe('/v1/webhook-subscriptions/w1/replay');
    const since = /"since":"([^"]+)"/.exec(JSON.stringify(sent[0]?.body))?.[1] ?? '';
    expect(Math.round((Date.now() - Date.parse(since)) / 3_600_000)).toBe(24);
  });

  it('shows its whole address on demand, and events that are not known here', async () => {
    one();
    expect(await screen.findByText('of.a.newer.server')).toBeVisible();
    await press('Show the whole address');
    expect(await screen.findByText('https://hooks.example.com/T0/secret')).toBeVisible();
  });

  it('sends a test event, pauses, and rotates its secret', async () => {
    one();
    await press('Send test event');
    await press('Pause');
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent).toMatchObject([
      { path: '/v1/webhook-subscriptions/w1/test' },
      { method: 'PATCH', body: { enabled: false }, match: '"v1"' },
    ]);
    await press('Rotate secret');
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Rotate secret' }));
    expect(await screen.findByText('whsec_once')).toBeVisible();
  });

  it('says why it is disabled, and is resumed', async () => {
    server.use(
      http.get('*/v1/webhook-subscriptions/w1', () =>
        reply<GetWebhookSubscriptionResponseJson>({
          webhook_subscription: { ...webhook, enabled: false, disabled_reason: 'It answered 410.' },
        }),
      ),
    );
    one();
    expect(await screen.findByText(/^Nightbell disabled this webhook: It answered 410\./)).toBeVisible();
    await press('Resume');
    await waitFor(() => expect(sent[0]?.body).toEqual({ enabled: true }));
  });

  it('is edited by what was changed; what somebody else stored meanwhile is shown', async () => {
    let conflict = true;
    server.use(
      http.patch('*/v1/webhook-subscriptions/w1', async ({ request }) => {
        sent.push({
          method: 'PATCH',
          path: '',
          body: await request.json(),
          match: request.headers.get('If-Match'),
        });
        if (!conflict) return reply<UpdateWebhookSubscriptionResponseJson>({});
        conflict = false;
        server.use(
          http.get('*/v1/webhook-subscriptions/w1', () =>
            reply<GetWebhookSubscriptionResponseJson>({
              webhook_subscription: { ...webhook, event_types: ['page.sent'], etag: 'v2' },
            }),
          ),
        );
        return HttpResponse.json(
          { code: 'etag_mismatch', message: 'Somebody else changed it.' },
          { status: 412 },
        );
      }),
    );
    one();
    await press('Edit');
    const name = screen.getByLabelText('Name');
    await userEvent.clear(name);
    await userEvent.type(name, 'Board');
    await press('Save webhook');
    await press('Keep mine on top');
    await press('Save webhook');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent).toMatchObject([
      { body: { name: 'Board' }, match: '"v1"' },
      { body: { name: 'Board' }, match: '"v2"' },
    ]);
  });

  it('is deleted after a question', async () => {
    one();
    await press('Delete');
    await press('Delete webhook');
    expect(await screen.findByText('Another page')).toBeVisible();
    expect(sent).toMatchObject([{ method: 'DELETE', path: '/v1/webhook-subscriptions/w1' }]);
  });

  it('is not found when there is none', async () => {
    server.use(
      http.get('*/v1/webhook-subscriptions/w1', () =>
        HttpResponse.json({ message: 'Webhook subscription not found' }, { status: 404 }),
      ),
    );
    one();
    expect(await screen.findByText('Failed to load webhook')).toBeVisible();
  });
});
