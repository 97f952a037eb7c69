import { describe, expect, it } from 'vitest';
import { neighbour } from '../components/use-list-keys';
import { countByStatus, oldestStart } from './counts';
import { matching, toFilter } from './filter';
import { holder, toIncident } from './incident';

const incidents = [
  toIncident({
    id: '1',
    title: 'Checkout failing',
    status: 'triggered',
    service: { id: 's', name: 'Checkout API' },
    triggered_at: '2026-03-25T03:00:00Z',
  }),
  toIncident({
    id: '2',
    title: 'Login slow',
    status: 'acknowledged',
    description: 'p95 above 2 s',
    triggered_at: '2026-03-25T02:00:00Z',
  }),
  toIncident({ id: '3', title: 'Disk full', status: 'resolved', triggered_at: '2026-03-24T02:00:00Z' }),
];
const found = (filter: string, text: string) =>
  matching(incidents, toFilter(filter), text).map((incident) => incident.id);

describe('the list', () => {
  it.each([
    ['all', '', ['1', '2', '3']],
    ['open', '', ['1']],
    ['closed', '', ['3']],
    ['nonsense', '', ['1', '2', '3']],
    ['all', ' CHECKOUT api ', ['1']],
    ['all', 'P95', ['2']],
    ['all', 'full', ['3']],
    ['open', 'full', []],
  ])('filtered by %s and searched for "%s" shows %o', (filter, text, ids) =>
    expect(found(filter, text)).toEqual(ids),
  );

  it('is counted by status', () => {
    expect(countByStatus(incidents)).toEqual({ triggered: 1, acknowledged: 1, resolved: 1 });
    expect(oldestStart(incidents, 'acknowledged')).toEqual(new Date('2026-03-25T02:00:00Z'));
    expect(oldestStart([], 'triggered')).toBeNull();
  });

  it('is walked with j and k', () => {
    expect(neighbour(incidents, null, 1)).toBe('1');
    expect(neighbour(incidents, '1', 1)).toBe('2');
    expect(neighbour(incidents, '1', -1)).toBeNull();
    expect(neighbour(incidents, 'gone', 1)).toBe('1');
    expect(neighbour([], null, 1)).toBeNull();
  });
});

it('an incident is held by its assignee, else by whoever acknowledged it', () => {
  const mara = { id: 'u1', name: 'Mara' };
  const jonas = { id: 'u2', name: 'Jonas' };
  expect(holder(toIncident({ acknowledged_by: mara, assignee: jonas }))?.name).toBe('Jonas');
  expect(holder(toIncident({ acknowledged_by: mara }))?.name).toBe('Mara');
  expect(holder(toIncident({ acknowledged_by: {} }))).toBeNull();
});
