import type {
  GetServiceKeyResponseJson,
  GetServiceResponseJson,
  GetServiceSamplesResponseJson,
  ListEscalationPoliciesResponseJson,
  ListIncidentsResponseJson,
  ListServiceActivityResponseJson,
  ListServicesResponseJson,
  ListTeamsResponseJson,
  ListUsersResponseJson,
  RotateServiceKeyResponseJson,
  SampleSeriesJson,
  ServiceJson,
  UpdateServiceResponseJson,
} from '@nightbell/proto';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { RoleContext } from '~/lib/role';
import { startSession } from '~/lib/session-change';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Service from './service';

const stored = {
  id: 's1',
  etag: '7',
  name: 'Checkout API',
  health: 'healthy',
  team_id: 't1',
  team: { id: 't1', name: 'Payments' },
  tier: 2,
  grouping: 'group',
  repo_url: 'https://github.com/acme/checkout',
} satisfies ServiceJson;
let service: object;

beforeEach(() => {
  signIn();
  service = stored;
  server.use(
    http.get('*/v1/services/s1', () => reply<GetServiceResponseJson>({ service })),
    http.get('*/v1/services/s1/samples', () => reply<GetServiceSamplesResponseJson>({ series: [] })),
    http.get('*/v1/services/s1/activity', () => reply<ListServiceActivityResponseJson>({ activity: [] })),
    http.get('*/v1/services/s1/key', () =>
      reply<GetServiceKeyResponseJson>({ webhook_url: 'https://n.example/v1/webhooks/prometheus/nbs_k' }),
    ),
    http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services: [stored] })),
    http.get('*/v1/incidents', () => reply<ListIncidentsResponseJson>({ incidents: [] })),
    http.get('*/v1/teams', () =>
      reply<ListTeamsResponseJson>({
        teams: [
          { id: 't1', name: 'Payments' },
          { id: 't2', name: 'Platform' },
        ],
      }),
    ),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [{ id: 'u1', name: 'Jonas' }] })),
    http.get('*/v1/escalation-policies', () =>
      reply<ListEscalationPoliciesResponseJson>({ escalation_policies: [{ id: 'p1', name: 'Nights' }] }),
    ),
  );
});

const show = () => renderRoute('/services/:id', Service, '/services/s1');
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const dialog = (name: string) => within(screen.getByRole('dialog', { name }));

describe('editing', () => {
  it('stores what was changed, in the version that was read; nothing chosen clears', async () => {
    const saved: unknown[] = [];
    server.use(
      http.patch('*/v1/services/s1', async ({ request }) => {
        saved.push(request.headers.get('If-Match'), await request.json());
        return reply<UpdateServiceResponseJson>({ service });
      }),
    );
    show();
    await press('Edit');
    const form = dialog('Edit service');
    await userEvent.selectOptions(await form.findByLabelText('Team'), 'No team');
    await userEvent.selectOptions(form.getByLabelText('Owner'), 'Jonas');
    await userEvent.selectOptions(form.getByLabelText('Escalation policy'), 'Nights');
    await userEvent.click(form.getByRole('button', { name: 'Save service' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(saved).toEqual([
      '"7"',
      {
        name: 'Checkout API',
        description: null,
        team_id: null,
        owner_id: 'u1',
        escalation_policy_id: 'p1',
        runbook_url: null,
        depends_on_ids: [],
        repo_url: 'https://github.com/acme/checkout',
        tier: 2,
        grouping: 'group',
      },
    ]);
  });

  it('shows what somebody else stored meanwhile, and keeps both', async () => {
    const saved: { name?: string; tier?: number }[] = [];
    server.use(
      http.patch('*/v1/services/s1', async ({ request }) => {
        if (request.headers.get('If-Match') === '"7"') {
          service = { ...stored, etag: '8', name: 'Checkout' };
          return HttpResponse.json({ message: 'Changed' }, { status: 412 });
        }
        saved.push((await request.json()) as object);
        return reply<UpdateServiceResponseJson>({ service });
      }),
    );
    show();
    await press('Edit');
    const form = dialog('Edit service');
    await userEvent.selectOptions(await form.findByLabelText('Tier'), '4, the least');
    await userEvent.click(form.getByRole('button', { name: 'Save service' }));
    const conflict = await form.findByText('Somebody else changed this while you were writing');
    expect(conflict.parentElement).toHaveTextContent('NameCheckoutnot changed by you');
    await userEvent.click(form.getByRole('button', { name: 'Keep mine on top' }));
    await userEvent.click(form.getByRole('button', { name: 'Save service' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]).toMatchObject({ name: 'Checkout', tier: 4 });
  });
});

describe('a test alert', () => {
  const send = async () => {
    show();
    await press('Send test alert');
    await userEvent.click(dialog('Send test alert').getByRole('button', { name: 'Send test alert' }));
  };

  it('goes to the webhook address as every alert does', async () => {
    const sent: unknown[] = [];
    server.use(
      http.post('*/v1/webhooks/prometheus/:key', async ({ params, request }) => {
        sent.push(params.key, await request.json());
        return new HttpResponse(null, { status: 202 });
      }),
    );
    await send();
    expect(await screen.findByText('Test alert sent successfully!')).toBeInTheDocument();
    expect(sent[0]).toBe('nbs_k');
    expect(sent[1]).toMatchObject({ status: 'firing', alerts: [{ labels: { severity: 'critical' } }] });
  });

  it('says when it was not taken', async () => {
    server.use(
      http.post('*/v1/webhooks/prometheus/:key', () =>
        HttpResponse.json({}, { status: 503, statusText: 'Service Unavailable' }),
      ),
    );
    await send();
    expect(await screen.findByText('Failed to send test alert: Service Unavailable')).toBeInTheDocument();
  });
});

it('makes a new key after a question, and shows the new address', async () => {
  let key = 'nbs_old';
  server.use(
    http.get('*/v1/services/s1/key', () =>
      reply<GetServiceKeyResponseJson>({ webhook_url: `https://n.example/v1/webhooks/prometheus/${key}` }),
    ),
    http.post('*/v1/services/s1/rotate-key', () => {
      key = 'nbs_new';
      return reply<RotateServiceKeyResponseJson>({ previous_key_expires_at: '2026-03-30T10:00:00Z' });
    }),
  );
  show();
  await press('Show the webhook address');
  await press('Make a new key');
  await userEvent.click(dialog('Make a new key').getByRole('button', { name: 'Make a new key' }));
  expect(await screen.findByText(/^The one before works until/)).toBeInTheDocument();
  expect((await screen.findAllByText(/nbs_new/)).length).toBeGreaterThan(0);
});

it('shows the key of no other service, on the way back from it', async () => {
  const shop = { ...stored, depends_on_ids: ['s2'] } satisfies ServiceJson;
  const cards = { ...stored, id: 's2', name: 'Cards' } satisfies ServiceJson;
  service = shop;
  server.use(
    http.get('*/v1/services/s2', () => reply<GetServiceResponseJson>({ service: cards })),
    http.get('*/v1/services/s2/samples', () => reply<GetServiceSamplesResponseJson>({ series: [] })),
    http.get('*/v1/services/s2/activity', () => reply<ListServiceActivityResponseJson>({ activity: [] })),
    http.get('*/v1/services/s2/key', () =>
      reply<GetServiceKeyResponseJson>({ webhook_url: 'https://n.example/v1/webhooks/prometheus/nbs_cards' }),
    ),
    http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services: [shop, cards] })),
  );
  show();
  await userEvent.click(await screen.findByRole('link', { name: 'Cards' }));
  expect(await screen.findByRole('heading', { name: 'Cards', level: 1 })).toBeInTheDocument();
  await press('Show the webhook address');
  expect((await screen.findAllByText(/nbs_cards/)).length).toBeGreaterThan(0);
  await userEvent.click(screen.getByRole('link', { name: 'Checkout API' }));
  expect(await screen.findByRole('heading', { name: 'Checkout API', level: 1 })).toBeInTheDocument();
  expect(await screen.findByRole('button', { name: 'Show the webhook address' })).toBeEnabled();
  expect(screen.queryByText(/nbs_cards/)).toBeNull();
});

it('says that the readings of another time are on their way', async () => {
  const at = new Date().toISOString();
  const series = [
    { name: 'latency', points: [{ at, average: 12, max: 12, last: 12, sample_count: 1 }] },
  ] satisfies SampleSeriesJson[];
  server.use(http.get('*/v1/services/s1/samples', () => reply<GetServiceSamplesResponseJson>({ series })));
  show();
  expect(await screen.findByText('6 hours ago')).toBeInTheDocument();
  server.use(http.get('*/v1/services/s1/samples', () => delay('infinite')));
  await press('30 days');
  expect(await screen.findAllByText('Loading 30 days')).toHaveLength(3);
  expect(screen.queryByText('30 days ago')).toBeNull();
});

it('declares an incident of the service', async () => {
  show();
  await press('Create Incident');
  const service = await screen.findByLabelText('Service');
  expect(service.closest('dialog')).toHaveAccessibleName('Create Incident');
  expect(service).toHaveValue('s1');
});

it('is a page that says so where there is no such service', async () => {
  server.use(http.get('*/v1/services/s1', () => HttpResponse.json({}, { status: 404 })));
  show();
  expect(await screen.findByRole('heading', { name: 'No such service' })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'All services' })).toHaveAttribute('href', '/services');
});

const as = (role: string) =>
  startSession({ user: { name: 'Jonas', role }, accessToken: 'a', refreshToken: 'r' });

/** The page of a person whose role others change. */
function InRole(props: Parameters<typeof Service>[0]) {
  const [role, setRole] = useState('admin');
  const change = (next: string) => () => {
    as(next);
    setRole(next);
  };
  return (
    <RoleContext value={role}>
      <button type="button" onClick={change('viewer')}>
        To viewer
      </button>
      <button type="button" onClick={change('admin')}>
        To admin
      </button>
      <Service {...props} />
    </RoleContext>
  );
}

describe('what a role may not do', () => {
  it('is not offered to a responder', async () => {
    as('responder');
    show();
    expect(await screen.findByRole('button', { name: 'Edit' })).toBeEnabled();
    expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
  });

  it('closes what was asked when the role goes, and opens it with what was written when that comes back', async () => {
    as('admin');
    renderRoute('/services/:id', InRole, '/services/s1');
    await press('Create Incident');
    await userEvent.type(await screen.findByLabelText('Title'), 'No card is taken');
    fireEvent.click(screen.getByText('To viewer'));
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.click(screen.getByText('To admin'));
    expect(await screen.findByLabelText('Title')).toHaveValue('No card is taken');
  });

  it('is not offered to a viewer', async () => {
    as('viewer');
    show();
    expect(await screen.findByText(/shown to responders/)).toBeInTheDocument();
    for (const name of ['Edit', 'Create Incident', 'Send test alert', 'Delete'])
      expect(screen.queryByRole('button', { name })).toBeNull();
  });
});

describe('the open incidents', () => {
  it('are none while it is well', async () => {
    show();
    expect(await screen.findByText('No open incidents.')).toBeVisible();
  });

  it('say so where another service took in the only one', async () => {
    service = { ...stored, health: 'down', open_incident_count: 1 };
    show();
    expect(await screen.findByText(/None of its own\. One was merged/)).toBeVisible();
    expect(screen.queryByText('No open incidents.')).toBeNull();
  });
});
