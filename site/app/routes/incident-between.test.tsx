import type {
  AcknowledgeIncidentResponseJson,
  GetIncidentResponseJson,
  IncidentJson,
  IncidentReferenceJson,
  ListIncidentAlertsResponseJson,
  ListNotificationsResponseJson,
  ListServicesResponseJson,
  ListTimelineResponseJson,
  ListUsersResponseJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Incident from './incident';

const one = (id: string, title: string) =>
  ({
    id,
    title,
    status: 'triggered',
    severity: 'critical',
    triggered_at: new Date().toISOString(),
  }) satisfies IncidentJson;
const login = one('x-9a07', 'Login slow');
const checkout = one('x-c41e', 'Checkout failing');
const linked = ({ id, title, status, severity }: ReturnType<typeof one>): IncidentReferenceJson => ({
  id,
  title,
  status,
  severity,
});
let sent: string[];
let refuse: boolean;

beforeEach(async () => {
  signIn();
  sent = [];
  refuse = true;
  const all = [
    { ...login, linked: [linked(checkout)] },
    { ...checkout, linked: [linked(login)] },
  ];
  server.use(
    http.get('*/v1/incidents/:id', ({ params }) =>
      reply<GetIncidentResponseJson>({ incident: all.find(({ id }) => id === params.id) }),
    ),
    http.get('*/v1/incidents/:id/timeline', () => reply<ListTimelineResponseJson>({ entries: [] })),
    http.get('*/v1/incidents/:id/notifications', () =>
      reply<ListNotificationsResponseJson>({ notifications: [] }),
    ),
    http.get('*/v1/incidents/:id/alerts', () =>
      reply<ListIncidentAlertsResponseJson>({ alerts: [], total_count: 0 }),
    ),
    http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services: [] })),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [] })),
    http.post('*/v1/incidents/:id/acknowledge', ({ params }) => {
      sent.push(String(params.id));
      if (refuse) return HttpResponse.error();
      return reply<AcknowledgeIncidentResponseJson>({
        incident: { ...all.find(({ id }) => id === params.id) },
      });
    }),
  );
  // Both are known, so neither page waits for an answer in between.
  renderRoute('/incidents/:id', Incident, '/incidents/x-9a07');
  await go('Checkout failing');
  await go('Login slow');
});

async function go(title: string): Promise<void> {
  await userEvent.click(await screen.findByRole('link', { name: new RegExp(title) }));
  await screen.findByRole('heading', { level: 1, name: new RegExp(title) });
}

it('tries again what failed, also from the page of another incident, and says which it was', async () => {
  await userEvent.click(screen.getByRole('button', { name: /^Acknowledge/ }));
  const title = await screen.findByText('Failed to acknowledge incident');
  const message = title.closest<HTMLElement>('[role=status] > *');
  if (!message) throw new Error('it stands in the region of messages');
  await go('Checkout failing');
  await userEvent.click(within(message).getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(sent).toEqual(['x-9a07', 'x-9a07']));
  expect(await screen.findByText('#9a07', { selector: '[role=status] *' })).toBeInTheDocument();
});

it('takes no comment and no dialog along to another incident', async () => {
  await userEvent.type(screen.getByLabelText('Add a comment'), 'The login pool is full.');
  await go('Checkout failing');
  expect(screen.getByLabelText('Add a comment')).toHaveValue('');
  await userEvent.click(screen.getByRole('button', { name: 'Assign' }));
  expect(await screen.findByRole('dialog')).toBeInTheDocument();
  await go('Login slow');
  expect(screen.queryByRole('dialog')).toBeNull();
});
