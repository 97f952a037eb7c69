import type { CountIncidentsResponseJson, ListIncidentsResponseJson } from '@nightbell/proto';
import { screen } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { NeedsAPerson } from './needs-a-person';

const triggered = (id: string, severity: string) => ({
  id,
  title: `Down ${id}`,
  status: 'triggered',
  severity,
});
let asked: string[];

/** The server's incidents: a first page, and what else there is of these severities. */
function answer(first: object, older: readonly { severity: string }[] = []): void {
  server.use(
    http.get('*/v1/incidents', ({ request }) => {
      const severities = new URL(request.url).searchParams.getAll('severity');
      if (severities.length === 0) return reply<ListIncidentsResponseJson>(first);
      asked.push(severities.join(' '));
      return reply<ListIncidentsResponseJson>({
        incidents: older.filter(({ severity }) => severities.includes(severity)),
      });
    }),
    http.get('*/v1/incidents/counts', () => reply<CountIncidentsResponseJson>({ triggered_count: 10_000 })),
  );
  renderRoute('/dashboard', () => <NeedsAPerson />);
}

beforeEach(() => {
  signIn();
  asked = [];
});

it('shows the worst also when it is older than what is loaded, and counts all', async () => {
  answer({ incidents: [triggered('i-0001', 'medium'), triggered('i-0002', 'high')], next_cursor: 'c' }, [
    triggered('i-0003', 'critical'),
  ]);
  expect(await screen.findByText('Down i-0003')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'and 9999 more unacknowledged' })).toBeInTheDocument();
  expect(asked).toEqual(['critical']);
});

it('asks for any when the newest are all acknowledged', async () => {
  answer({ incidents: [{ ...triggered('i-0001', 'high'), status: 'acknowledged' }], next_cursor: 'c' }, [
    triggered('i-0003', 'low'),
  ]);
  expect(await screen.findByText('Down i-0003')).toBeInTheDocument();
  expect(asked).toEqual(['critical high medium low']);
});

it('asks for nothing more when all are loaded, and counts those', async () => {
  answer({ incidents: [triggered('i-0001', 'medium'), triggered('i-0002', 'high')] });
  expect(await screen.findByRole('link', { name: 'and 1 more unacknowledged' })).toBeInTheDocument();
  expect(asked).toEqual([]);
});
