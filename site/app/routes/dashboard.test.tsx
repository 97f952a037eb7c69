import type {
  CountIncidentsResponseJson,
  GetIncidentMetricsResponseJson,
  ListIncidentsResponseJson,
  ListServicesResponseJson,
} from '@nightbell/proto';
import { screen } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Dashboard from './dashboard';

vi.mock('~/features/incidents/components/needs-a-person', () => ({
  NeedsAPerson: () => {
    throw new Error('A fault in one card.');
  },
}));

beforeEach(signIn);

it('keeps the rest when one card cannot be drawn', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  server.use(
    http.get('*/v1/incidents', () =>
      reply<ListIncidentsResponseJson>({
        incidents: [{ id: 'i1', title: 'Disk full', status: 'triggered' }],
      }),
    ),
    http.get('*/v1/incidents/counts', () => reply<CountIncidentsResponseJson>({ triggered_count: 1 })),
    http.get('*/v1/incidents/metrics', () =>
      reply<GetIncidentMetricsResponseJson>({ current: {}, before: {} }),
    ),
    http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services: [] })),
  );
  renderRoute('/dashboard', Dashboard);
  expect(await screen.findByText('What needs a person could not be shown.')).toBeInTheDocument();
  expect(await screen.findByText('Disk full')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Create Incident' })).toBeInTheDocument();
});
