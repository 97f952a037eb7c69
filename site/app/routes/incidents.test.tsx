import type {
  AcknowledgeIncidentResponseJson,
  ChangeIncidentsResponseJson,
  CountIncidentsResponseJson,
  IncidentJson,
  IncidentResultJson,
  ListIncidentsResponseJson,
  ResultErrorJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Incidents from './incidents';

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
let incidents: IncidentJson[];

beforeEach(() => {
  signIn();
  // jsdom lays nothing out; the virtual list needs a window and rows of some height.
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(41);
  incidents = [
    {
      id: 'x-c41e',
      title: 'Checkout failing',
      status: 'triggered',
      severity: 'critical',
      service: { id: 's', name: 'Checkout API' },
      triggered_at: ago(4),
    },
    {
      id: 'x-9a07',
      title: 'Login slow',
      status: 'acknowledged',
      severity: 'high',
      service: { id: 's', name: 'Auth' },
      triggered_at: ago(70),
    },
    {
      id: 'x-18fa',
      title: 'Retry storm',
      status: 'resolved',
      severity: 'low',
      service: { id: 's', name: 'Checkout API' },
      triggered_at: ago(700),
    },
  ];
  server.use(
    http.get('*/v1/incidents', ({ request }) => {
      expect(new URL(request.url).searchParams.get('limit')).toBe('1000');
      return reply<ListIncidentsResponseJson>({ incidents });
    }),
    http.get('*/v1/incidents/counts', () =>
      reply<CountIncidentsResponseJson>({ triggered_count: 1, acknowledged_count: 1, resolved_count: 1 }),
    ),
  );
});

const show = (at = '/incidents') => renderRoute('/incidents', Incidents, at);
const rows = () => screen.findAllByRole('row').then((all) => all.slice(1));

describe('the incidents page', () => {
  it('says what, how bad, who, since when, and offers one button', async () => {
    show();
    const [first, second, third] = await rows();
    if (!first || !second || !third) throw new Error('three rows expected');
    for (const words of [
      '#c41e',
      'Checkout failing',
      'Triggered',
      'Critical',
      'Checkout API',
      '4 minutes ago',
      '[triggered]',
    ]) {
      expect(within(first).getByText(words)).toBeInTheDocument();
    }
    expect(within(first).getByRole('button', { name: 'Acknowledge #c41e' })).toBeEnabled();
    expect(within(second).getByRole('button', { name: 'Resolve #9a07' })).toBeEnabled();
    expect(within(third).queryByRole('button')).toBeNull();
  });

  it('filters by address, Open meaning triggered only', async () => {
    show('/incidents?filter=open');
    expect(await rows()).toHaveLength(1);
    await userEvent.click(screen.getByRole('button', { name: 'Closed' }));
    expect(await screen.findByText('Retry storm')).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText('Search incidents'), 'nothing like it');
    expect(await screen.findByText('No incident matches "nothing like it".')).toBeInTheDocument();
  });

  it('acknowledges in the row', async () => {
    server.use(
      http.post('*/v1/incidents/x-c41e/acknowledge', async ({ request }) => {
        expect(await request.json()).toEqual({ message: 'Incident acknowledged', severity_seen: 'critical' });
        incidents[0] = { ...incidents[0], status: 'acknowledged' };
        return reply<AcknowledgeIncidentResponseJson>({ incident: incidents[0] });
      }),
    );
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge #c41e' }));
    expect(await screen.findByRole('button', { name: 'Resolve #c41e' })).toBeEnabled();
  });

  it('shows a failure and keeps the button', async () => {
    server.use(
      http.post('*/v1/incidents/x-c41e/acknowledge', () =>
        HttpResponse.json({ message: 'Not today.' }, { status: 503 }),
      ),
    );
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge #c41e' }));
    const message = await screen.findByText(/^Failed to acknowledge incident/);
    expect(message.closest('[role=status]')).toHaveTextContent('Not today.');
    await waitFor(() => expect(screen.getByRole('button', { name: 'Acknowledge #c41e' })).toBeEnabled());
  });

  it('moves with j and k, selects with x, and acts on the selection', async () => {
    const asked: unknown[] = [];
    server.use(
      http.post('*/v1/incidents/bulk', async ({ request }) => {
        asked.push(await request.json());
        return reply<ChangeIncidentsResponseJson>({ results: [{ id: 'x-c41e', status: 'acknowledged' }] });
      }),
    );
    show();
    await rows();
    await userEvent.keyboard('jx');
    expect(await screen.findByRole('checkbox', { name: 'Select #c41e' })).toBeChecked();
    await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge 1' }));
    await waitFor(() => expect(screen.queryByText('1 selected')).toBeNull());
    expect(asked).toEqual([
      {
        action: 'acknowledge',
        ids: ['x-c41e'],
        message: 'Incident acknowledged',
        seen: [{ id: 'x-c41e', severity: 'critical' }],
      },
    ]);
  });

  it('says of a key that failed which incident it was and why, and nothing of a selection', async () => {
    const error = { code: 'conflict', message: 'It is merged.', retryable: false } satisfies ResultErrorJson;
    server.use(
      http.post('*/v1/incidents/bulk', () =>
        reply<ChangeIncidentsResponseJson>({ results: [{ id: 'x-c41e', error }] }),
      ),
    );
    show();
    await rows();
    await userEvent.keyboard('ja');
    const message = await screen.findByText('Failed to acknowledge incident');
    expect(message.closest('[data-kind]')).toHaveTextContent(/#c41e It is merged\.(?!.*selected)/);
  });

  it('says of a selection whose answer was lost that it is not known, and loads the list again', async () => {
    server.use(
      http.post('*/v1/incidents/bulk', () => {
        // The server had done it.
        incidents[0] = { ...incidents[0], status: 'acknowledged' };
        return HttpResponse.error();
      }),
    );
    show();
    await rows();
    await userEvent.keyboard('jx');
    await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge 1' }));
    const message = await screen.findByText('Failed to acknowledge incident');
    expect(message.closest('[data-kind]')).toHaveTextContent(
      /^.*#c41e Network error\..*Whether it changed is not known\..*It is still selected\./,
    );
    expect(await screen.findByRole('button', { name: 'Resolve #c41e' })).toBeEnabled();
  });

  it('acknowledges all by one call, also those that are not loaded', async () => {
    const asked: object[] = [];
    server.use(
      http.get('*/v1/incidents/counts', () =>
        reply<CountIncidentsResponseJson>({
          triggered_count: 3000,
          acknowledged_count: 1,
          resolved_count: 1,
        }),
      ),
      http.post('*/v1/incidents/bulk', async ({ request }) => {
        asked.push((await request.json()) as object);
        const results = Array.from(
          { length: 3000 },
          (_, n) => ({ id: `x-${n}`, status: 'acknowledged' }) satisfies IncidentResultJson,
        );
        return reply<ChangeIncidentsResponseJson>({ results });
      }),
    );
    show();
    await rows();
    expect(await screen.findByText(/3 of 3 shown, the newest of 3002\./)).toBeInTheDocument();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select all' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge all 3000' }));
    expect(await screen.findByText('3000 incidents are acknowledged')).toBeInTheDocument();
    expect(screen.queryByText('3 selected')).toBeNull();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toHaveProperty('filter.triggered_before');
  });

  it('offers to acknowledge again what became more severe', async () => {
    Object.assign(incidents[1] ?? {}, { severity: 'critical', confirmation_wanted: true });
    show();
    const [, second] = await rows();
    if (!second) throw new Error('two rows expected');
    expect(within(second).getByRole('button', { name: 'Acknowledge #9a07 again' })).toBeEnabled();
    expect(within(second).queryByRole('button', { name: 'Resolve #9a07' })).toBeNull();
  });

  it('leaves single keys alone once they are turned off', async () => {
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Turn off' }));
    await userEvent.keyboard('jx');
    expect(screen.getByRole('checkbox', { name: 'Select #c41e' })).not.toBeChecked();
  });

  it('says when the list could not be loaded, and tries again', async () => {
    server.use(http.get('*/v1/incidents', () => HttpResponse.json({}, { status: 500 }), { once: true }));
    show();
    expect(await screen.findByText('Failed to load incidents')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Checkout failing')).toBeInTheDocument();
  });

  it('says good news plainly', async () => {
    incidents = [];
    show();
    expect(await screen.findByText(/No incidents yet/)).toBeInTheDocument();
  });

  it('says that older incidents could not be searched, and not that there are none', async () => {
    server.use(
      http.get('*/v1/incidents', ({ request }) => {
        const asked = new URL(request.url).searchParams;
        if (asked.has('status') || asked.has('q'))
          return HttpResponse.json({ code: 'forbidden', message: 'Not now.' }, { status: 403 });
        return reply<ListIncidentsResponseJson>({ incidents: incidents.slice(2), next_cursor: 'older' });
      }),
    );
    show('/incidents?filter=open');
    expect(await screen.findByText('Older incidents could not be searched')).toBeInTheDocument();
    expect(screen.queryByText(/^No open incidents/)).toBeNull();
  });
});
