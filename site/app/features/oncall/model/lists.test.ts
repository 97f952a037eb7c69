import { describe, expect, it } from 'vitest';
import { matchingOverrides, matchingRotations, matchingSchedules, toView } from './filter';
import { nextInLine } from './next-in-line';
import { toOverride, toSchedule } from './schedule';

const night = toSchedule({
  id: 's1',
  name: 'Night Shift',
  description: 'Working days',
  team: { id: 't1', name: 'Infrastructure' },
  escalation_policy_id: 'p1',
  rotations: [
    {
      id: 'r1',
      name: 'Primary',
      turns: [{ user_ids: ['u1'], users: [{ id: 'u1', name: 'Mara Lindqvist' }] }],
    },
  ],
});
const backup = toSchedule({
  id: 's2',
  name: 'Backup',
  on_call: { current: { users: [{ id: 'u2', name: 'Jonas Okafor' }] } },
});

describe('search', () => {
  it.each([
    ['night', 1],
    ['WORKING', 1],
    ['infra', 1],
    ['', 2],
    ['nowhere', 0],
  ])('"%s" finds %i schedules by name, description or team', (text, count) => {
    expect(matchingSchedules([night, backup], text)).toHaveLength(count);
  });

  it('finds rotations by their people, and overrides by their reason', () => {
    expect(matchingRotations([night, backup], 'mara')).toMatchObject([{ rotation: { name: 'Primary' } }]);
    const override = toOverride({ kind: 'vacant', reason: 'Power cut' });
    expect(matchingOverrides([override], 'power')).toEqual([override]);
  });

  it('reads an unknown view as schedules', () => {
    expect(toView('nonsense')).toBe('schedules');
  });
});

describe('next in line', () => {
  const page = (name: string, target = '') => ({
    user: { id: `u ${name}`, name },
    why: { target: { id: target } },
  });
  const moments = [
    { step: 1, after_seconds: 0, outcome: 'paged', pages: [page('Mara', 's1')] },
    { step: 2, after_seconds: 300, outcome: 'skipped', pages: [] },
    { step: 3, after_seconds: 420, outcome: 'paged', pages: [page('Jonas'), page('Priya')] },
    { step: 1, after_seconds: 900, outcome: 'paged', round: 2, pages: [page('Mara', 's1')] },
  ];

  it('is whom the server pages after the schedule', () => {
    expect(nextInLine({ moments }, 's1')).toEqual({
      names: ['Jonas', 'Priya'],
      person: { id: 'u Jonas', name: 'Jonas' },
      when: 'after 7 min',
      step: 3,
    });
  });

  it('is the last resort, a shared channel, or whoever is first while nobody is on call', () => {
    const last = { outcome: 'last_resort', after_seconds: 300, pages: [page('Mara')] };
    expect(nextInLine({ moments: [...moments.slice(0, 1), last] }, 's1')).toMatchObject({ step: 0 });
    const channel = {
      outcome: 'paged',
      step: 2,
      after_seconds: 60,
      pages: [{ contacts: [{ name: '#incidents' }] }],
    };
    expect(nextInLine({ moments: [...moments.slice(0, 1), channel] }, 's1')).toMatchObject({
      names: ['#incidents'],
      person: null,
    });
    expect(nextInLine({ moments: moments.slice(1) }, 's1')).toMatchObject({
      names: ['Jonas', 'Priya'],
      when: 'after 7 min',
    });
  });

  it('is paged at once where nobody comes before, or both are paged together', () => {
    const second = { step: 2, after_seconds: 0, outcome: 'paged', pages: [page('Jonas')] };
    expect(nextInLine({ moments: [second] }, 's1')).toMatchObject({ when: 'at once' });
    expect(nextInLine({ moments: [...moments.slice(0, 1), second] }, 's1')).toMatchObject({
      when: 'at once',
    });
  });

  it('is nobody after the last step', () => {
    expect(nextInLine({ moments: moments.slice(0, 1) }, 's1')).toBeNull();
    expect(nextInLine({}, 's1')).toBeNull();
  });
});
