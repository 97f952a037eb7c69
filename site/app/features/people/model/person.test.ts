import { expect, test } from 'vitest';
import { givenBy, isReachable, lastTest, mayManage, waysOf, wordsOf } from './person';

test('nobody gives a role above their own', () => {
  expect(givenBy('admin').map(({ value }) => value)).toEqual(['admin', 'responder', 'viewer']);
  expect(givenBy('owner')).toHaveLength(4);
});

test('admins leave owners alone', () => {
  expect(mayManage('admin', 'owner')).toBe(false);
  expect(mayManage('admin', 'admin')).toBe(true);
  expect(mayManage('owner', 'owner')).toBe(true);
  expect(mayManage('responder', 'viewer')).toBe(false);
});

test('a kind is shown once, as its best address', () => {
  const ways = waysOf([
    { kind: 'email', verified: false },
    { kind: 'email', verified: true },
    { kind: 'webhook', verified: true, failing_since_at: '2026-03-24T10:00:00Z' },
  ]);
  expect(ways.map(({ word, state }) => [word, state])).toEqual([
    ['E-mail', 'works'],
    ['Webhook', 'failing'],
  ]);
});

test('who has only failing or unverified ways cannot be reached', () => {
  expect(isReachable([])).toBe(false);
  expect(isReachable([{ kind: 'email', verified: false }])).toBe(false);
  expect(isReachable([{ kind: 'webhook', verified: true, failing_since_at: '2026-03-24T10:00:00Z' }])).toBe(
    false,
  );
  expect(isReachable([{ kind: 'email', verified: true }])).toBe(true);
});

test('the newest test counts', () => {
  const last = lastTest([
    { kind: 'email', verified: true, tested_at: '2026-03-24T10:00:00Z', test_status: 'sent' },
    { kind: 'webhook', verified: true, tested_at: '2026-03-25T10:00:00Z', test_status: 'failed' },
  ]);
  expect(last).toEqual({ at: new Date('2026-03-25T10:00:00Z'), sent: false });
  expect(lastTest([{ kind: 'email', verified: true }])).toBeUndefined();
});

test('somebody is found by name, address, role and teams', () => {
  const teams = [{ id: '1', name: 'Platform' }];
  expect(wordsOf({ name: 'Mara Lindqvist', email: 'mara@acme.example', role: 'owner', teams })).toEqual([
    'Mara Lindqvist',
    'mara@acme.example',
    'owner',
    'Platform',
  ]);
});
