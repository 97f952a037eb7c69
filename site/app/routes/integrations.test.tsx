import type {
  GetSendersResponseJson,
  GetServiceKeyResponseJson,
  GetSlackConfigResponseJson,
  ListIncidentsResponseJson,
  ListServicesResponseJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Integrations from './integrations';

let senders: object[];
let keysRead: number;

beforeEach(() => {
  signIn();
  senders = [];
  keysRead = 0;
  server.use(
    http.get('*/v1/services', () =>
      reply<ListServicesResponseJson>({
        services: [
          { id: 's1', name: 'Checkout', service_key_hint: 'nbs_AAAA…' },
          { id: 's2', name: 'Search', service_key_hint: 'nbs_BBBB…' },
        ],
      }),
    ),
    http.get('*/v1/senders', () => reply<GetSendersResponseJson>({ senders })),
    http.get('*/v1/integrations/slack/config', () =>
      HttpResponse.json({ message: 'No Slack integration configured' }, { status: 404 }),
    ),
    http.get('*/v1/services/:id/key', ({ params }) => {
      keysRead += 1;
      const key = `nbs_whole_${params.id}`;
      return reply<GetServiceKeyResponseJson>({
        service_key: key,
        webhook_url: `https://bell.example/v1/webhooks/prometheus/${key}`,
      });
    }),
  );
});
afterEach(() => vi.restoreAllMocks());

const cards = () =>
  screen.queryAllByRole('listitem').map((card) => within(card).getByRole('heading').textContent);
const choose = async (name: string) => userEvent.click(await screen.findByRole('tab', { name }));

describe('the cards', () => {
  it('are the six of the specification, with what is true of each', async () => {
    renderRoute('/integrations', Integrations);
    await waitFor(() => expect(screen.getAllByText('Not Connected')).toHaveLength(6));
    expect(screen.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
      expect.stringMatching(/^SlackCommunicationNot Connected.*Add$/),
      expect.stringMatching(/^GitHubVersion ControlNot Connected.*Add$/),
      expect.stringMatching(/^DatadogMonitoringNot Connected.*Add$/),
      expect.stringMatching(/^JiraTicketingNot Connected.*Add$/),
      expect.stringMatching(/^PagerDutyOn-CallNot Connected.*Add$/),
      expect.stringMatching(/^ZendeskCustomer SupportNot Connected.*Add$/),
    ]);
  });

  it('are connected while they called in the last 30 days', async () => {
    senders = [{ kind: 'github', connected: true, last_called_at: new Date().toISOString() }];
    server.use(
      http.get('*/v1/integrations/slack/config', () =>
        reply<GetSlackConfigResponseJson>({ integration: { is_active: true, channel: '#ops' } }),
      ),
    );
    renderRoute('/integrations', Integrations);
    await waitFor(() => expect(screen.getAllByText('Connected')).toHaveLength(2));
    expect(screen.getByRole('button', { name: 'Configure Slack' })).toBeVisible();
    expect(screen.getByText('Pages arrive in #ops.')).toBeVisible();
    expect(screen.getByText('Last deployment just now')).toBeVisible();
  });

  it('say nothing of what is not known', async () => {
    server.use(
      http.get('*/v1/integrations/slack/config', () =>
        HttpResponse.json({ message: 'Down' }, { status: 500 }),
      ),
    );
    renderRoute('/integrations', Integrations);
    expect(await screen.findByText('Status unknown')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Configure Slack' })).toBeVisible();
  });

  it('promise nothing that is not there', async () => {
    renderRoute('/integrations', Integrations);
    await screen.findAllByText('Not Connected');
    for (const name of ['Datadog', 'Jira', 'PagerDuty', 'Zendesk'])
      expect(screen.getByRole('heading', { name }).closest('li')).toHaveTextContent(
        /Not by itself yet|No import yet/,
      );
  });

  it('say what does the job today', async () => {
    renderRoute('/integrations', Integrations);
    await userEvent.click(await screen.findByRole('button', { name: 'Add Datadog' }));
    await userEvent.click(
      within(screen.getByRole('dialog', { name: 'Datadog' })).getByText('Show the calls'),
    );
    expect(await screen.findByRole('heading', { name: 'Your own script', level: 3 })).toBeVisible();
  });
});

describe('tabs and search', () => {
  it.each([
    ['All Integrations', ['Slack', 'GitHub', 'Datadog', 'Jira', 'PagerDuty', 'Zendesk'], true],
    ['Monitoring', ['Datadog'], true],
    ['Communication', ['Slack'], false],
    ['Ticketing', ['Jira', 'Zendesk'], false],
  ])('%s shows %j', async (tab, names, withSenders) => {
    renderRoute('/integrations', Integrations);
    await choose(tab);
    expect(cards()).toEqual(names);
    expect(screen.queryByRole('heading', { name: 'Send alerts here' }) !== null).toBe(withSenders);
  });

  it('narrow the cards and the senders while typing, by name or category', async () => {
    renderRoute('/integrations', Integrations);
    const search = await screen.findByRole('searchbox', { name: 'Search integrations' });
    await userEvent.type(search, 'graf');
    await waitFor(() => expect(cards()).toEqual([]));
    expect(await screen.findByRole('heading', { name: 'Grafana', level: 3 })).toBeVisible();
    await userEvent.clear(search);
    await userEvent.type(search, 'customer');
    await waitFor(() => expect(cards()).toEqual(['Zendesk']));
    await userEvent.clear(search);
    await userEvent.type(search, 'nagios');
    expect(await screen.findByText('No integration matches “nagios”.')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Clear the search' }));
    await waitFor(() => expect(cards()).toHaveLength(6));
  });

  it('give way when an integration is to be added', async () => {
    renderRoute('/integrations', Integrations, '/integrations?view=ticketing');
    await userEvent.click(await screen.findByRole('button', { name: 'Add Integration' }));
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Send alerts here' })).toHaveFocus());
  });
});

describe('a sender', () => {
  it('is shown with a shortened key, and copied whole for the chosen service', async () => {
    const user = userEvent.setup();
    renderRoute('/integrations', Integrations);
    await user.selectOptions(await screen.findByRole('combobox', { name: /Service/ }), 'Search');
    expect(screen.getByText(`${window.location.origin}/v1/webhooks/prometheus/nbs_BBBB····`)).toBeVisible();
    expect(keysRead).toBe(0);
    await user.click(screen.getAllByRole('button', { name: 'Copy' })[1] as HTMLElement);
    expect(await screen.findByText('Copied')).toBeVisible();
    expect(await navigator.clipboard.readText()).toContain(
      "url: 'https://bell.example/v1/webhooks/prometheus/nbs_whole_s2'",
    );
    expect(keysRead).toBe(1);
    await user.click(screen.getByRole('button', { name: 'Show the key' }));
    expect(await screen.findByText('https://bell.example/v1/webhooks/prometheus/nbs_whole_s2')).toBeVisible();
    expect(keysRead).toBe(1);
  });

  it('waits, and turns green by itself when the first alert arrives', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    server.use(
      http.get('*/v1/incidents', () =>
        reply<ListIncidentsResponseJson>({ incidents: [{ id: 'i-f0a2', title: 'DiskAlmostFull' }] }),
      ),
    );
    renderRoute('/integrations', Integrations);
    expect(await screen.findByText('Waiting for the first alert')).toBeVisible();
    expect(screen.getByText(/^Listening since \d\d:\d\d\. Turns green by itself/)).toBeVisible();
    const at = new Date(Date.now() + 1000).toISOString();
    senders = [{ kind: 'alertmanager', connected: true, first_called_at: at, last_called_at: at }];
    await vi.advanceTimersByTimeAsync(2100);
    expect(await screen.findByText('Receiving')).toBeVisible();
    expect(await screen.findByRole('link', { name: '#f0a2' })).toHaveAttribute('href', '/incidents/i-f0a2');
    vi.useRealTimers();
  });

  it('says when it was silent for too long', async () => {
    senders = [
      {
        kind: 'alertmanager',
        connected: false,
        first_called_at: '2026-01-01T00:00:00Z',
        last_called_at: new Date(Date.now() - 40 * 86_400_000).toISOString(),
      },
    ];
    renderRoute('/integrations', Integrations);
    expect(await screen.findByText('The last alert came 40 days ago.')).toBeVisible();
  });

  it('needs a service first', async () => {
    server.use(http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services: [] })));
    renderRoute('/integrations', Integrations);
    expect(await screen.findByRole('link', { name: 'Add a service' })).toHaveAttribute('href', '/services');
  });

  it('shows no key to viewers, and offers them no change', async () => {
    startSession({ user: { name: 'Vic', role: 'viewer' }, accessToken: 'a', refreshToken: 'r' });
    renderRoute('/integrations', Integrations);
    expect(await screen.findByText('The key is shown to responders and above.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Show the key' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Add Integration' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Open webhooks' })).toBeNull();
  });
});
