import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { draftOf, eventGroups, filterWords, outcomeOf, stateOf, toChange, toRequest } from './webhook';

describe('a webhook', () => {
  it('may be told of every event that the server sends', () => {
    const rules = readFileSync(
      join(import.meta.dirname, '../../../../../api/internal/subscription/event.go'),
      'utf8',
    );
    const types = [...rules.matchAll(/"((?:incident|page|oncall|service|change|heartbeat)\.[a-z_]+)"/g)];
    const sent = new Set(types.map(([, type]) => type).filter((type) => type !== 'incident.changed'));
    const offered = eventGroups.flatMap(({ events }) => events.map(([type]) => type));
    expect(offered.toSorted()).toEqual([...sent].toSorted());
  });

  it('is told of the usual events when it is new, for everything', () => {
    expect(toRequest({ ...draftOf(), name: ' Status page ', url: ' https://example.com/x ' })).toEqual({
      name: 'Status page',
      url: 'https://example.com/x',
      event_types: ['incident.triggered', 'incident.acknowledged', 'incident.resolved'],
      filter: null,
    });
  });

  it('is sent only what was changed of it', () => {
    const base = draftOf({ name: 'A', url: 'https://example.com/…', event_types: ['page.sent'], filter: {} });
    expect(toChange(base, base)).toEqual({});
    expect(toChange(base, { ...base, name: 'B', severities: ['critical'] })).toEqual({
      name: 'B',
      filter: { service_ids: [], team_ids: [], severities: ['critical'] },
    });
    expect(toChange({ ...base, teamIds: ['t1'] }, base)).toEqual({ filter: null });
  });

  it.each([
    [{ enabled: true }, 'Enabled'],
    [{ enabled: true, failing_since_at: '2026-11-22T03:00:00Z' }, 'Failing'],
    [{ enabled: false }, 'Paused'],
    [{ enabled: false, disabled_reason: 'It answered 410.' }, 'Disabled'],
  ])('%o is %s', (webhook, word) => expect(stateOf(webhook).word).toBe(word));

  it.each([
    [{ status: 'delivered', attempt_count: 2 }, 'Delivered'],
    [{ status: 'failed', attempt_count: 20 }, 'Given up'],
    [{ status: 'pending', attempt_count: 0 }, 'Sending'],
    [{ status: 'pending', attempt_count: 3 }, 'Trying again'],
  ])('a delivery %o is %s', (delivery, word) => expect(outcomeOf(delivery).word).toBe(word));

  it('says what its filter lets through', () => {
    expect(filterWords(draftOf())).toBe('everything');
    expect(
      filterWords({ ...draftOf(), serviceIds: ['a', 'b'], teamIds: ['c'], severities: ['critical', 'high'] }),
    ).toBe('2 services, 1 team, critical or high');
  });
});
