import type {
  CreateMaintenanceWindowResponseJson,
  EndMaintenanceWindowResponseJson,
  ListMaintenanceWindowsResponseJson,
  ListServicesResponseJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import OnCallMaintenance from './on-call-maintenance';

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const upgrade = {
  id: 'w1',
  description: 'Upgrade',
  starts_at: inHours(-1),
  ends_at: inHours(2),
  services: ['Checkout API'],
  status: 'under_way',
  held_incident_count: 1,
};
let windows: object[];
let posted: Record<string, unknown>[];

beforeEach(() => {
  signIn();
  windows = [upgrade];
  posted = [];
  server.use(
    http.get('*/v1/maintenance-windows', () =>
      reply<ListMaintenanceWindowsResponseJson>({ maintenance_windows: windows }),
    ),
    http.post('*/v1/maintenance-windows', async ({ request }) => {
      posted.push((await request.json()) as Record<string, unknown>);
      return reply<CreateMaintenanceWindowResponseJson>({});
    }),
    http.post('*/v1/maintenance-windows/w1/end', () => {
      windows = [{ ...upgrade, status: 'ended', held_incident_count: 0 }];
      return reply<EndMaintenanceWindowResponseJson>({});
    }),
    http.get('*/v1/services', () =>
      reply<ListServicesResponseJson>({ services: [{ id: 's1', name: 'Checkout API' }] }),
    ),
  );
});

const show = () => renderRoute('/oncall/maintenance', OnCallMaintenance);

describe('maintenance', () => {
  it('is ended after a word about what it holds', async () => {
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'End now Upgrade' }));
    const dialog = screen.getByRole('dialog');
    expect(dialog).toHaveTextContent('1 open incident is held. The people on call for it are paged at once.');
    await userEvent.click(within(dialog).getByRole('button', { name: 'End now' }));
    await waitFor(() => expect(screen.getByRole('region', { name: 'Ended' })).toHaveTextContent('Upgrade'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('is planned for services and a time', async () => {
    windows = [];
    show();
    expect(await screen.findByText(/^No maintenance yet/)).toBeInTheDocument();
    await userEvent.click(screen.getAllByRole('button', { name: 'Plan maintenance' })[0] as HTMLElement);
    await userEvent.type(screen.getByLabelText('Description'), 'Disks');
    await userEvent.click(screen.getByRole('button', { name: 'Start maintenance' }));
    expect(screen.getByRole('alert')).toHaveTextContent('Choose at least one service.');
    await userEvent.type(screen.getByRole('combobox', { name: 'Services' }), 'check{Enter}');
    await userEvent.click(screen.getByRole('button', { name: 'Later' }));
    await userEvent.click(screen.getByRole('button', { name: '30 min' }));
    await userEvent.click(
      within(screen.getByRole('dialog')).getByRole('button', { name: 'Plan maintenance' }),
    );
    await waitFor(() => expect(posted).toHaveLength(1));
    const [body] = posted;
    expect(body).toMatchObject({ description: 'Disks', service_ids: ['s1'] });
    expect(Date.parse(String(body?.ends_at)) - Date.parse(String(body?.starts_at))).toBe(1_800_000);
  });

  it('is left to responders', async () => {
    startSession({ user: { name: 'Vera', role: 'viewer' }, accessToken: 'a', refreshToken: 'r' });
    show();
    expect(await screen.findByText('Holds the pages of 1 incident')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /End now|Plan/ })).toBeNull();
  });
});
