import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryClient, type QueryFunction, type QueryKey } from '@tanstack/react-query';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { calendarFeeds } from '~/data/calendar-feeds';
import { contactMethods } from '~/data/contact-methods';
import { incidentNotifications, incidentTimeline } from '~/data/incidents';
import { windowList } from '~/data/maintenance';
import { memberList } from '~/data/members';
import { overrideList } from '~/data/overrides';
import { policyList } from '~/data/policies';
import { onCallNow, scheduleList } from '~/data/schedules';
import { serviceList } from '~/data/services';
import { teamList } from '~/data/teams';
import { answerPage } from './pages';
import { signIn } from './render-route';
import { server } from './server';

const total = 1200;

const lists = {
  policyList: [policyList, '/v1/escalation-policies', 'escalation_policies'],
  onCallNow: [onCallNow, '/v1/on-call', 'on_call'],
  incidentNotifications: [incidentNotifications('i'), '/v1/incidents/i/notifications', 'notifications'],
  incidentTimeline: [incidentTimeline('i'), '/v1/incidents/i/timeline', 'entries'],
  windowList: [windowList, '/v1/maintenance-windows', 'maintenance_windows'],
  calendarFeeds: [calendarFeeds, '/v1/calendar-feeds', 'calendar_feeds'],
  contactMethods: [contactMethods, '/v1/contact-methods', 'contact_methods'],
  overrideList: [overrideList(true), '/v1/overrides', 'overrides'],
  scheduleList: [scheduleList, '/v1/schedules', 'schedules'],
  serviceList: [serviceList, '/v1/services', 'services'],
  teamList: [teamList, '/v1/teams', 'teams'],
  memberList: [memberList, '/v1/users', 'users'],
} as const;

beforeEach(signIn);

describe('a list of 1,200 rows, of which the server gives 500 at once', () => {
  it.each(Object.entries(lists))('%s is read to its end', async (_, [options, path, field]) => {
    const rows = Array.from({ length: total }, (_, n) => ({
      id: `id-${n}`,
      name: `Name ${n}`,
      shared: true,
      schedule: { id: `id-${n}` },
    }));
    server.use(
      http.get(`*${path}`, ({ request }) =>
        HttpResponse.json(answerPage<Record<string, unknown>>(request.url, field, rows)),
      ),
    );
    const client = new QueryClient();
    await client.fetchQuery({
      queryKey: options.queryKey as QueryKey,
      queryFn: options.queryFn as QueryFunction,
    });
    // As the server said it: what a page makes of it is a projection, so that the cache can compare it.
    expect(client.getQueryData(options.queryKey)).toEqual(rows);
  });
});

it('no file reads only the first page of a list', () => {
  const app = join(import.meta.dirname, '../app');
  const files = readdirSync(app, { recursive: true }).filter((name) => /\.tsx?$/.test(String(name)));
  const partly = files.filter((name) => {
    const text = readFileSync(join(app, String(name)), 'utf8');
    return /\bcall<List\w+ResponseJson>/.test(text) && !/withCursor\(/.test(text);
  });
  // Coverage problems are counted and cut, not paged; of incidents the newest one alone is asked for.
  expect(partly).toEqual(['data/schedules.ts', 'data/senders.ts']);
});
