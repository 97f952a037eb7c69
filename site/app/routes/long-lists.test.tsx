import type {
  AlertJson,
  CountIncidentsResponseJson,
  GetInboxMailResponseJson,
  GetIncidentMetricsResponseJson,
  InboxMailJson,
  IncidentSummaryJson,
  ListInboxResponseJson,
  ListIncidentAlertsResponseJson,
  ListIncidentsResponseJson,
  ListServicesResponseJson,
  ListUsersResponseJson,
  ServiceJson,
  UserJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AssignDialog } from '~/features/incidents/components/assign-dialog';
import { LinkedAlerts } from '~/features/incidents/components/linked-alerts';
import { toIncident } from '~/features/incidents/model/incident';
import { CreateWindowDialog } from '~/features/maintenance/components/create-window-dialog';
import { answerPage } from '../../testing/pages';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Dashboard from './dashboard';
import Inbox from './inbox';
import Incidents from './incidents';
import Services from './services';

// The newest first. The oldest of all is the one that nobody has acknowledged.
const incidents = Array.from(
  { length: 10_000 },
  (_, n) =>
    ({
      id: `id-${n}`,
      title: n === 9983 ? 'Checkout failing' : `Incident ${10_000 - n}`,
      status: n === 9999 ? 'triggered' : 'resolved',
      severity: 'high',
      triggered_at: new Date(Date.UTC(2026, 2, 25) - n * 60_000).toISOString(),
    }) satisfies IncidentSummaryJson,
);
const services = Array.from(
  { length: 1200 },
  (_, n) =>
    ({
      id: `s-${n}`,
      name: `Service ${n}`,
      health: n === 1199 ? 'down' : 'healthy',
    }) satisfies ServiceJson,
);
const mails = Array.from(
  { length: 450 },
  (_, n) =>
    ({
      id: `m-${n}`,
      to: 'mara@example.com',
      subject: `Mail ${n}`,
    }) satisfies InboxMailJson,
);
const alerts = Array.from(
  { length: 450 },
  (_, n) =>
    ({
      id: `a-${n}`,
      title: `Alert ${n}`,
      status: 'firing',
    }) satisfies AlertJson,
);
const users = Array.from(
  { length: 1200 },
  (_, n) =>
    ({
      id: `u-${n}`,
      name: `Person ${n}`,
      joined_at: '2026-03-25T03:00:00Z',
    }) satisfies UserJson,
);

beforeEach(() => {
  signIn();
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(41);
  const counts = {
    triggered_count: 1,
    acknowledged_count: 0,
    resolved_count: 9999,
  } satisfies CountIncidentsResponseJson;
  server.use(
    http.get('*/v1/incidents', ({ request }) => {
      const asked = new URL(request.url).searchParams;
      const status = asked.get('status')?.replace('open', 'triggered');
      const rows = incidents.filter(
        (one) =>
          (!status || one.status === status) && one.title.toLowerCase().includes(asked.get('text') ?? ''),
      );
      return reply<ListIncidentsResponseJson>(
        answerPage<ListIncidentsResponseJson>(request.url, 'incidents', rows, 1000),
      );
    }),
    http.get('*/v1/incidents/metrics', () =>
      reply<GetIncidentMetricsResponseJson>({ current: {}, before: {} }),
    ),
    http.get('*/v1/incidents/counts', () => reply<CountIncidentsResponseJson>(counts)),
    http.get('*/v1/incidents/i/alerts', ({ request }) =>
      reply<ListIncidentAlertsResponseJson>({
        ...answerPage<ListIncidentAlertsResponseJson>(request.url, 'alerts', alerts, 200),
        total_count: alerts.length,
      }),
    ),
    http.get('*/v1/services', ({ request }) =>
      reply<ListServicesResponseJson>(
        answerPage<ListServicesResponseJson>(request.url, 'services', services, 1000),
      ),
    ),
    http.get('*/v1/users', ({ request }) =>
      reply<ListUsersResponseJson>(answerPage<ListUsersResponseJson>(request.url, 'users', users, 1000)),
    ),
    http.get('*/v1/inbox', ({ request }) =>
      reply<ListInboxResponseJson>(answerPage<ListInboxResponseJson>(request.url, 'mails', mails, 200)),
    ),
    http.get('*/v1/inbox/*', () => reply<GetInboxMailResponseJson>({ mail: mails[0] })),
  );
});

/** Presses the button below a list until there is none, and says how often. */
async function pressToTheEnd(words: RegExp): Promise<number> {
  for (let presses = 0; ; presses++) {
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Loading...' })).toBeNull());
    const button = screen.queryByRole('button', { name: words });
    if (!button) return presses;
    await userEvent.click(button);
  }
}

describe('10,000 incidents', () => {
  it('are read to the last by a press for each thousand', async () => {
    renderRoute('/incidents', Incidents);
    expect(await screen.findByText(/1000 of 1000 shown, the newest of 10000\./)).toBeInTheDocument();
    expect(await screen.findByRole('button', { name: 'Show 1000 more of 9000' })).toBeEnabled();
    expect(await pressToTheEnd(/^Show \d+ more/)).toBe(9);
    expect(screen.getByText(/10000 of 10000 shown\./)).toBeInTheDocument();
    expect(screen.getByRole('table', { name: 'Incidents' })).toHaveAttribute('aria-rowcount', '10001');
  });

  it('show the oldest open one under Open, though it is not loaded', async () => {
    renderRoute('/incidents', Incidents, '/incidents?filter=open');
    expect(await screen.findByRole('link', { name: 'Incident 1' })).toBeInTheDocument();
  });

  it('are searched whole, not only as far as they are loaded', async () => {
    renderRoute('/incidents', Incidents);
    await screen.findByText(/the newest of 10000/);
    await userEvent.type(screen.getByLabelText('Search incidents'), 'checkout');
    expect(await screen.findByRole('link', { name: 'Checkout failing' })).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText('Search incidents'), ' and none');
    expect(await screen.findByText('No incident matches "checkout and none".')).toBeInTheDocument();
  });

  it('show the oldest open one on the dashboard', async () => {
    renderRoute('/dashboard', Dashboard);
    const open = await screen.findByRole('table');
    expect(within(open).getByRole('link', { name: 'Incident 1' })).toBeInTheDocument();
    expect(screen.getByRole('region', { name: 'Needs a person' })).toHaveTextContent('Incident 1');
    expect(screen.queryByText('Nobody is needed')).toBeNull();
  });

  it('keep what is loaded, and say so, when the next page does not come', async () => {
    renderRoute('/incidents', Incidents);
    const button = await screen.findByRole('button', { name: 'Show 1000 more of 9000' });
    server.use(http.get('*/v1/incidents', () => HttpResponse.json({}, { status: 500 }), { once: true }));
    await userEvent.click(button);
    expect(await screen.findByText('The next rows did not load.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Show 1000 more of 9000' }));
    expect(await screen.findByText(/2000 of 2000 shown/)).toBeInTheDocument();
  });
});

it('450 mails are read to the oldest', async () => {
  renderRoute('/inbox', Inbox);
  expect(await screen.findByText('Mail 99')).toBeInTheDocument();
  await pressToTheEnd(/^Show \d+ more/);
  expect(screen.getByText('Mail 449')).toBeInTheDocument();
});

it('450 alerts of an incident are read to the last', async () => {
  renderRoute('/', () => <LinkedAlerts id="i" />);
  expect(await screen.findByRole('button', { name: 'Show 100 more of 350' })).toBeEnabled();
  expect(await pressToTheEnd(/^Show \d+ more/)).toBe(4);
  expect(screen.getByText('Alert 449')).toBeInTheDocument();
});

describe('1,200 services', () => {
  it('are all listed, the one that is down first', async () => {
    renderRoute('/services', Services);
    const [, first] = await screen.findAllByRole('row');
    expect(first).toHaveTextContent('Service 1199');
    expect(await pressToTheEnd(/^Show \d+ more/)).toBe(11);
    expect(screen.getAllByRole('row')).toHaveLength(1201);
  });

  it('are found by typing', async () => {
    renderRoute('/services', Services);
    await userEvent.type(await screen.findByLabelText('Search name or owner'), 'service 1187');
    expect(await screen.findByRole('link', { name: 'Service 1187' })).toBeInTheDocument();
    expect(screen.getByText('1 of 1200')).toBeInTheDocument();
  });

  it('can each be chosen for maintenance', async () => {
    renderRoute('/', () => <CreateWindowDialog onClose={() => undefined} />);
    await userEvent.type(await screen.findByRole('combobox', { name: 'Services' }), 'service 1187');
    expect(await screen.findByRole('option', { name: 'Service 1187' })).toBeInTheDocument();
  });
});

it('anybody of 1,200 people can be given an incident', async () => {
  renderRoute('/', () => <AssignDialog incident={toIncident({ id: 'i' })} onClose={() => undefined} />);
  await userEvent.type(await screen.findByLabelText('Search name'), 'person 1187');
  expect(await screen.findByRole('button', { name: 'Person 1187' })).toBeEnabled();
});
