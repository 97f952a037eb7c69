import type {
  AcknowledgeIncidentResponseJson,
  CountIncidentsResponseJson,
  GetIncidentResponseJson,
  IncidentJson,
  ListIncidentAlertsResponseJson,
  ListIncidentsResponseJson,
  ListNotificationsResponseJson,
  ListServicesResponseJson,
  ListTimelineResponseJson,
} from '@nightbell/proto';
import { useInfiniteQuery } from '@tanstack/react-query';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { incidentList } from '~/data/incidents';
import { NeedsAPerson } from '~/features/incidents/components/needs-a-person';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Incident from './incident';
import Incidents from './incidents';

const begun = Date.parse('2026-03-25T03:00:00Z');
const triggered = (id: string, severity = 'critical') =>
  ({
    id,
    title: `Down ${id}`,
    status: 'triggered',
    severity,
    triggered_at: new Date(begun - 60_000).toISOString(),
  }) satisfies IncidentJson;
let all: ReturnType<typeof triggered>[];
let sent: string[];

beforeEach(() => {
  signIn();
  // The clock of the presses stands still, and moves when a test says so.
  vi.useFakeTimers({ toFake: ['Date'], now: begun });
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(41);
  all = [triggered('x-c41e'), triggered('x-9a07', 'high')];
  sent = [];
  const of = (id: unknown) => all.find((one) => one.id === id);
  server.use(
    http.get('*/v1/incidents', () => reply<ListIncidentsResponseJson>({ incidents: all })),
    http.get('*/v1/incidents/counts', () => reply<CountIncidentsResponseJson>({ triggered_count: 2 })),
    http.get('*/v1/incidents/:id', ({ params }) =>
      reply<GetIncidentResponseJson>({ incident: of(params.id) }),
    ),
    http.get('*/v1/incidents/:id/timeline', () => reply<ListTimelineResponseJson>({ entries: [] })),
    http.get('*/v1/incidents/:id/notifications', () =>
      reply<ListNotificationsResponseJson>({ notifications: [] }),
    ),
    http.get('*/v1/incidents/:id/alerts', () =>
      reply<ListIncidentAlertsResponseJson>({ alerts: [], total_count: 0 }),
    ),
    http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services: [] })),
    http.post('*/v1/incidents/:id/:verb', ({ params }) => {
      sent.push(`${params.verb} ${params.id}`);
      const status = params.verb === 'resolve' ? 'resolved' : 'acknowledged';
      all = all.map((one) => (one.id === params.id ? { ...one, status } : one));
      return reply<AcknowledgeIncidentResponseJson>({ incident: of(params.id) });
    }),
  );
});
afterEach(() => vi.useRealTimers());

function Card() {
  const list = useInfiniteQuery(incidentList({ status: 'open' }));
  return (
    <>
      <NeedsAPerson />
      <button type="button" onClick={() => list.refetch()}>
        Ask again
      </button>
    </>
  );
}

const later = (ms: number) => act(() => vi.setSystemTime(Date.now() + ms));
// A thumb's: a key's is no guess at what stands there.
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }), { detail: 1 });

it.each([
  ['incident page', '/incidents/:id', Incident, '/incidents/x-c41e', /^Acknowledge/, 'Resolve'],
  ['list', '/incidents', Incidents, '/incidents', 'Acknowledge #c41e', 'Resolve #c41e'],
] as const)(
  'the second tap of an Acknowledge does not resolve: %s',
  async (_, path, page, at, first, next) => {
    renderRoute(path, page, at);
    await screen.findByRole('button', { name: first });
    press(first);
    await screen.findByRole('button', { name: next });
    later(300);
    press(next);
    // Who goes on pressing still means the button that stood there.
    later(500);
    press(next);
    expect(sent).toEqual(['acknowledge x-c41e']);
    expect(screen.getByRole('button', { name: next })).toBeEnabled();
    later(750);
    press(next);
    await waitFor(() => expect(sent).toEqual(['acknowledge x-c41e', 'resolve x-c41e']));
  },
);

it('the second tap does not acknowledge what moved up in the list of the open ones', async () => {
  renderRoute('/incidents', Incidents, '/incidents?filter=open');
  await screen.findByRole('button', { name: 'Acknowledge #c41e' });
  press('Acknowledge #c41e');
  await waitFor(() => expect(screen.queryByText('Down x-c41e')).toBeNull());
  press('Acknowledge #9a07');
  expect(sent).toEqual(['acknowledge x-c41e']);
  later(750);
  press('Acknowledge #9a07');
  await waitFor(() => expect(sent).toHaveLength(2));
});

it('the second tap does not acknowledge who needs a person next', async () => {
  renderRoute('/dashboard', Card);
  await screen.findByText('Down x-c41e');
  press('Acknowledge');
  await screen.findByText('Down x-9a07');
  press('Acknowledge');
  expect(sent).toEqual(['acknowledge x-c41e']);
  later(750);
  press('Acknowledge');
  await waitFor(() => expect(sent).toEqual(['acknowledge x-c41e', 'acknowledge x-9a07']));
});

it('a press does not acknowledge an incident that came under the thumb', async () => {
  renderRoute('/incidents', Incidents, '/incidents');
  await screen.findByRole('button', { name: 'Acknowledge #9a07' });
  await act(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  all = [triggered('x-77fe'), ...all];
  // The list is asked again after any change.
  press('Acknowledge #9a07');
  await screen.findByRole('button', { name: 'Acknowledge #77fe' });
  press('Acknowledge #77fe');
  later(250);
  press('Acknowledge #77fe');
  expect(sent).toEqual(['acknowledge x-9a07']);
  later(350);
  press('Acknowledge #77fe');
  await waitFor(() => expect(sent).toEqual(['acknowledge x-9a07', 'acknowledge x-77fe']));
});

it('a press does not acknowledge who needs a person all of a sudden', async () => {
  const came = all;
  all = [];
  renderRoute('/dashboard', Card);
  await act(() => new Promise((answered) => setTimeout(answered, 100)));
  all = came;
  press('Ask again');
  await screen.findByText('Down x-c41e');
  press('Acknowledge');
  expect(sent).toEqual([]);
  later(350);
  press('Acknowledge');
  await waitFor(() => expect(sent).toEqual(['acknowledge x-c41e']));
});
