import { expect, it } from 'vitest';
import { chosen, filterOf, nobody, passing, priorityOf } from './board';
import { toIncident } from './incident';

const all = [
  {
    id: '1',
    title: 'Checkout fails',
    status: 'triggered',
    severity: 'critical',
    service: { id: 's1', name: 'Checkout' },
  },
  {
    id: '2',
    title: 'Slow login',
    status: 'acknowledged',
    severity: 'high',
    assignee: { id: 'u1', name: 'Priya' },
  },
  {
    id: '3',
    title: 'Lag',
    status: 'acknowledged',
    severity: 'high',
    acknowledged_by: { id: 'u2', name: 'Wei' },
  },
].map(toIncident);
const ids = (address: string) => passing(all, filterOf(new URLSearchParams(address))).map(({ id }) => id);

it('narrows by everything that the address says at once', () => {
  expect(ids('')).toEqual(['1', '2', '3']);
  expect(ids('q=CHECKOUT')).toEqual(['1']);
  expect(ids('severity=high')).toEqual(['2', '3']);
  expect(ids('severity=high&assignee=u2')).toEqual(['3']);
  expect(ids(`assignee=${nobody}`)).toEqual(['1']);
  expect(ids('service=s1&status=acknowledged')).toEqual([]);
  expect(chosen(filterOf(new URLSearchParams('q=x&status=triggered&service=s1')))).toBe(2);
});

it('gives severities their priorities', () => {
  expect(['critical', 'high', 'medium', 'low', 'odd'].map(priorityOf)).toEqual([
    'P1',
    'P2',
    'P3',
    'P4',
    'P4',
  ]);
});
