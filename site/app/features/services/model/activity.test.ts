import { describe, expect, it } from 'vitest';
import { incidentAfter } from './activity';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 22, 12, -minutes)).toISOString();

describe('recent activity', () => {
  it('names the first incident that began within two hours after a change', () => {
    const activity = [
      { id: 'later', kind: 'incident', at: at(0) },
      { id: 'first', kind: 'incident', at: at(10) },
      { id: 'close', kind: 'deployment', at: at(16) },
      { id: 'far', kind: 'configuration', at: at(200) },
    ];
    expect(activity.map((_, place) => incidentAfter(activity, place)?.id)).toEqual([
      undefined,
      undefined,
      'first',
      undefined,
    ]);
  });
});
