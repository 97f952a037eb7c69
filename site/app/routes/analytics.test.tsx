import type {
  AnalyticsPeriodJson,
  GetAnalyticsResponseJson,
  ListServicesResponseJson,
  ListTeamsResponseJson,
  ListUsersResponseJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Analytics from './analytics';

const now = new Date();
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
const none = {
  since: ago(30),
  until: ago(0),
  figures: {},
  days: [{ date: '2026-11-24', figures: {} }],
} satisfies AnalyticsPeriodJson;
const full = {
  pages_kept_days: 90,
  timezone: 'UTC',
  period: {
    ...none,
    figures: {
      incident_count: 3,
      page_count: 5,
      acknowledged_count: 2,
      mtta_seconds: 90,
      mttr_seconds: 3600,
    },
    disturbed_night_count: 1,
    sleep_lost_seconds: 1800,
  },
  before: { ...none, since: ago(60), until: ago(30), figures: { incident_count: 5, mtta_seconds: 120 } },
  severities: [{ name: 'critical', figures: { incident_count: 1 }, before: { incident_count: 2 } }],
  services: [
    { id: 's1', name: 'Shop', figures: { incident_count: 3, page_count: 5 }, before: { incident_count: 5 } },
  ],
  teams: [{ name: '', figures: { incident_count: 3 } }],
  people: [
    {
      user_id: 'u1',
      name: 'Ada Byron',
      timezone: 'UTC',
      figures: {
        page_count: 5,
        night_count: 1,
        sleep_lost_seconds: 1800,
        nights: [{ date: '2026-11-24', page_count: 2, sleep_lost_seconds: 1800 }],
      },
      before: {},
    },
  ],
  hours: [{ weekday: 2, hour: 3, page_count: 2 }],
  alerts: [{ title: '=Disk', incident_id: 'i1', service_name: 'Shop', page_count: 5, unanswered_count: 1 }],
  alert_count: 1,
} satisfies GetAnalyticsResponseJson;

let asked: URLSearchParams[];
const answers = (answer: () => Response) =>
  server.use(
    http.get('*/v1/analytics', ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return answer();
    }),
  );

beforeEach(() => {
  signIn();
  asked = [];
  server.use(
    http.get('*/v1/services', () =>
      reply<ListServicesResponseJson>({ services: [{ id: 's1', name: 'Shop' }] }),
    ),
    http.get('*/v1/teams', () => reply<ListTeamsResponseJson>({ teams: [] })),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [] })),
  );
});

describe('analytics', () => {
  it('shows the figures beside those before', async () => {
    answers(() => reply<GetAnalyticsResponseJson>(full));
    renderRoute('/analytics', Analytics);
    expect(await screen.findByRole('region', { name: 'Incidents' })).toHaveTextContent(
      '32 fewer than before',
    );
    expect(screen.getByRole('region', { name: 'MTTA' })).toHaveTextContent('1m 30s30s faster than before');
    expect(screen.getByRole('region', { name: 'MTTR' })).toHaveTextContent(/1h$/);
    expect(screen.getByRole('img', { name: 'Disturbed: 24 Nov' })).toBeVisible();
    expect(screen.getByRole('img', { name: /Most came on Tue from 3:00; 2 between/ })).toBeVisible();
    expect(screen.getByRole('link', { name: '=Disk' })).toHaveAttribute('href', '/incidents/i1');
    expect(asked[0]?.get('days')).toBe('30');
    expect(asked[0]?.get('compare')).toBe('true');
  });

  it('compares no pages with those that are not kept', async () => {
    answers(() => reply<GetAnalyticsResponseJson>({ ...full, pages_kept_days: 45 }));
    renderRoute('/analytics', Analytics);
    expect(await screen.findByRole('region', { name: 'Pages' })).toHaveTextContent(/^Pages5$/);
    expect(screen.getByRole('region', { name: 'Incidents' })).toHaveTextContent('2 fewer than before');
    expect(screen.getByText(/Pages are kept for 45 days: those before/)).toBeVisible();
  });

  it('puts the table in the place of the chart', async () => {
    answers(() => reply<GetAnalyticsResponseJson>(full));
    renderRoute('/analytics', Analytics);
    const card = within(await screen.findByRole('region', { name: 'Incidents by severity' }));
    await userEvent.click(card.getByRole('button', { name: 'Show table' }));
    expect(card.getByRole('cell', { name: '2026-11-24' })).toBeVisible();
    await userEvent.click(card.getByRole('button', { name: 'Show chart' }));
    expect(card.queryByRole('table')).toBeNull();
  });

  it('shows no figures of an earlier choice while it asks, and then what was open', async () => {
    answers(() => reply<GetAnalyticsResponseJson>(full));
    renderRoute('/analytics', Analytics);
    const show = await screen.findAllByRole('button', { name: 'Show table' });
    await userEvent.click(show[0] as HTMLElement);
    const card = screen.getByRole('region', { name: 'Incidents' });
    server.use(
      http.get('*/v1/analytics', async () => {
        await delay(300);
        return reply<GetAnalyticsResponseJson>(full);
      }),
    );
    await userEvent.selectOptions(screen.getByLabelText('Service'), 'Shop');
    expect(await screen.findByText('Loading analytics')).toBeInTheDocument();
    expect(card).not.toBeVisible();
    await waitFor(() => expect(card).toBeVisible());
    expect(screen.getByRole('button', { name: 'Show chart' })).toBeVisible();
  });

  it('says that there was nothing', async () => {
    answers(() => reply<GetAnalyticsResponseJson>({ period: none }));
    renderRoute('/analytics', Analytics, '/analytics?service=s1');
    expect(await screen.findByText('No incidents in this period.')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Show every service' }));
    expect(await screen.findByLabelText('Service')).toHaveValue('');
    expect(asked.at(-1)?.has('service_id')).toBe(false);
  });

  it('says that it failed, and why', async () => {
    answers(() => HttpResponse.json({ message: 'Choose a shorter period.' }, { status: 422 }));
    renderRoute('/analytics', Analytics);
    expect(await screen.findByText('Failed to load analytics')).toBeVisible();
    expect(screen.getByText('Choose a shorter period.')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible();
  });

  it('asks for nothing while the days make no period', async () => {
    answers(() => reply<GetAnalyticsResponseJson>(full));
    renderRoute('/analytics', Analytics, '/analytics?from=2026-11-24&to=2026-11-01');
    expect(await screen.findByText('The last day is before the first.')).toBeVisible();
    expect(asked).toEqual([]);
  });
});
