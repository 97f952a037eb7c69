import type { IncidentSummaryJson, ListIncidentsResponseJson } from '@nightbell/proto';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { incidentList } from '~/data/incidents';
import { startSession } from '~/lib/session-change';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { toRows } from './incident';

it('keeps the rows that did not change, so that only the one of an event is drawn', async () => {
  startSession({ user: { name: 'Mara' }, accessToken: 'access', refreshToken: 'refresh' });
  let status = 'triggered';
  const row = (id: string): IncidentSummaryJson => ({
    id,
    title: id,
    triggered_at: '2026-03-25T03:00:00Z',
    status: 'triggered',
  });
  server.use(
    http.get('*/v1/incidents', () =>
      reply<ListIncidentsResponseJson>({ incidents: [{ ...row('a'), status }, row('b')] }),
    ),
  );
  const list = new InfiniteQueryObserver(new QueryClient(), { ...incidentList(), select: toRows });
  const stop = list.subscribe(() => undefined);
  const before = (await list.refetch()).data;
  status = 'acknowledged';
  const after = (await list.refetch()).data;
  expect(after?.map((incident) => incident.status)).toEqual(['acknowledged', 'triggered']);
  expect(after?.[0]).not.toBe(before?.[0]);
  expect(after?.[1]).toBe(before?.[1]);
  stop();
});
