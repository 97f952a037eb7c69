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
  const policy = {
    id: 'p1',
    steps: [
      { delay_seconds: 300, targets: [{ kind: 'schedule', id: 's1', name: 'Night Shift' }] },
      { delay_seconds: 600, targets: [{ kind: 'schedule', id: 's2', name: 'Backup' }] },
    ],
  };

  it('is who is on call for the next step of the policy', () => {
    expect(nextInLine(night, [policy], [night, backup])).toEqual({
      names: ['Backup'],
      person: { id: 'u2', name: 'Jonas Okafor' },
      after: '5 min',
      step: 2,
    });
  });

  it('is nobody after the last step, and without a policy', () => {
    expect(nextInLine(backup, [policy], [])).toBeNull();
    expect(nextInLine(night, [], [])).toBeNull();
  });
});
