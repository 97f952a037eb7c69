import type { GetIncidentResponseJson, ListTimelineResponseJson } from '@nightbell/proto';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { endSession, startSession } from '~/lib/session-change';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import { cacheOf, prefetch } from './cache';
import { incidentDetail, incidentTimeline } from './incidents';

const session = (org: string) => ({
  user: { id: 'u1', org_id: org, name: 'Mara' },
  accessToken: `access-${org}`,
  refreshToken: 'refresh',
});

it('asks for all parts of a page at once and waits for none', async () => {
  startSession(session('o1'));
  const asked: string[] = [];
  server.use(
    http.get('*/v1/*', async ({ request }) => {
      asked.push(new URL(request.url).pathname);
      // The first answer comes only when the second part was asked for.
      while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
      return reply<GetIncidentResponseJson & ListTimelineResponseJson>({
        incident: { id: 'i1' },
        entries: [],
      });
    }),
  );
  const parts: Promise<unknown>[] = [];
  const left = prefetch((client) => {
    parts.push(client.query(incidentDetail('i1')), client.query(incidentTimeline('i1')));
    return parts;
  });
  expect(left).toBeNull();
  await Promise.all(parts);
  expect(asked.toSorted()).toEqual(['/v1/incidents/i1', '/v1/incidents/i1/timeline']);
  expect(cacheOf(session('o1')).getQueryData(incidentDetail('i1').queryKey)).toEqual({ id: 'i1' });
});

it('keeps nothing for the next organization, and asks nothing without a session', () => {
  const first = cacheOf(session('o1'));
  first.setQueryData(incidentDetail('i1').queryKey, { id: 'i1' });
  expect(cacheOf(session('o2')).getQueryData(incidentDetail('i1').queryKey)).toBeUndefined();
  expect(cacheOf(session('o1'))).not.toBe(first);
  endSession('signed-out');
  prefetch(() => {
    throw new Error('Nobody is signed in.');
  });
});
