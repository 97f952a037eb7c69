import { describe, expect, it } from 'vitest';
import { faultsOf, withChanged, withMoved, withoutStep, withStep } from './edit';
import { emptyPolicy, offsets, type Policy, toPolicy, toRequest } from './policy';
import { conditionOf, summaryOf, whoOf } from './summary';
import { lengthOf, listed } from './words';

const stored = {
  id: 'p1',
  name: 'Payments',
  repeat_count: 3,
  timezone: 'Europe/Berlin',
  ack_timeout_seconds: 14_400,
  auto_resolve_seconds: 259_200,
  last_resort: 'target',
  last_resort_target: { kind: 'team', id: 't1', name: 'Platform' },
  quiet: [{ severities: ['low'], windows: [{ days: [], from: '22:00', to: '07:00' }] }],
  steps: [
    { id: 'one', delay_seconds: 300, targets: [{ kind: 'schedule', id: 's1', name: '24/7 Support' }] },
    {
      delay_seconds: 600,
      assignment: 'round_robin',
      severities: ['high', 'critical'],
      windows: [{ days: ['friday', 'monday'], from: '09:00', to: '17:00' }],
      targets: [
        { kind: 'user', id: 'u1', name: 'Mara' },
        { kind: 'user', id: 'u2', name: 'Jonas' },
      ],
    },
  ],
};
const policy = toPolicy(stored);
const keys = (of: Policy) => of.steps.map((step) => step.key);

describe('a policy', () => {
  it('goes back to the server as it came', () => {
    expect(toRequest(policy)).toMatchObject({
      name: 'Payments',
      repeat_count: 3,
      timezone: 'Europe/Berlin',
      ack_timeout_seconds: 14_400,
      auto_resolve_seconds: 259_200,
      last_resort: 'target',
      last_resort_target: { kind: 'team', id: 't1' },
      quiet: [{ severities: ['low'], windows: [{ days: [], from: '22:00', to: '07:00' }] }],
      steps: [
        {
          id: 'one',
          delay_seconds: 300,
          assignment: 'everyone',
          severities: [],
          windows: [],
          targets: [{ kind: 'schedule', id: 's1' }],
        },
        {
          assignment: 'round_robin',
          severities: ['critical', 'high'],
          windows: [{ days: ['monday', 'friday'], from: '09:00', to: '17:00' }],
        },
      ],
    });
  });

  it('pages the owners last, and is never quiet, unless it says so', () => {
    const made = toRequest(emptyPolicy('UTC'));
    expect(made).toMatchObject({ last_resort: 'owners', quiet: [] });
    expect(made.last_resort_target).toBeUndefined();
    expect(toRequest({ ...policy, lastResort: 'nobody' }).last_resort_target).toBeUndefined();
  });

  it('knows when each step pages and when a round ends', () => {
    expect(offsets(policy.steps)).toEqual([0, 300, 900]);
  });
});

describe('editing', () => {
  it('adds, changes, moves and removes steps', () => {
    const three = withStep(policy);
    const [a, b, c] = keys(three) as [string, string, string];
    expect(keys(withMoved(three, c, -1))).toEqual([a, c, b]);
    expect(keys(withMoved(three, a, 1))).toEqual([b, a, c]);
    expect(withMoved(three, a, -1)).toBe(three);
    expect(keys(withoutStep(three, b))).toEqual([a, c]);
    expect(withChanged(three, b, { delaySeconds: 60 }).steps[1]?.delaySeconds).toBe(60);
  });

  it('keeps the last step', () => {
    const one = emptyPolicy('UTC');
    expect(withoutStep(one, keys(one)[0] ?? '')).toBe(one);
  });

  it('says what is missing', () => {
    const one = emptyPolicy('UTC');
    expect(faultsOf(one)).toEqual({
      name: 'Give the policy a name.',
      [keys(one)[0] ?? '']: 'Choose whom this step pages.',
    });
    expect(faultsOf(policy)).toEqual({});
    expect(Object.keys(faultsOf({ ...policy, ackTimeoutSeconds: 59, autoResolveSeconds: 120 }))).toEqual([
      'ackTimeout',
      'autoResolve',
    ]);
    expect(faultsOf({ ...policy, ackTimeoutSeconds: 0, autoResolveSeconds: 0 })).toEqual({});
    expect(faultsOf({ ...policy, lastResort: 'target', lastResortTarget: null })).toEqual({
      lastResort: 'Choose whom the last resort pages.',
    });
    expect(Object.keys(faultsOf({ ...policy, quiet: [{ key: 'q', severities: [], hours: [] }] }))).toEqual([
      'q',
    ]);
    const hasty = withChanged(policy, keys(policy)[0] ?? '', { delaySeconds: 1 });
    expect(Object.values(faultsOf(hasty))).toEqual(['A step waits from 10 seconds to a day.']);
  });
});

describe('the summary', () => {
  it('tells the whole story', () => {
    expect(summaryOf(policy)).toEqual([
      'Pages 24/7 Support at once, then one of Mara or Jonas in turn after 5 min (critical and high only, Mon, Fri 09:00 to 17:00).',
      'If nobody answers, all of that 3 more times; the last resort is paged after at most 1 h: Platform.',
      'Pages nobody for low incidents, every day 22:00 to 07:00.',
      'Acknowledged but not resolved 4 h later, it pages again from step 1.',
      'Without news for 3 days, an incident is resolved.',
    ]);
  });

  it('is short for a short policy', () => {
    const one: Policy = {
      ...emptyPolicy('UTC'),
      lastResort: 'nobody',
      steps: policy.steps.slice(0, 1),
    };
    expect(summaryOf({ ...one, repeats: 0 })).toEqual([
      'Pages 24/7 Support at once.',
      'If nobody answers, gives up after 5 min.',
    ]);
    expect(summaryOf({ ...one, repeats: 1 })[1]).toBe(
      'If nobody answers, all of that once more; gives up after 10 min.',
    );
    expect(summaryOf({ ...one, lastResort: 'owners', repeats: 0 })[1]).toBe(
      'If nobody answers, the last resort is paged after 5 min: the owners of the workspace.',
    );
    expect(summaryOf(emptyPolicy('UTC'))).toEqual(['Pages nobody yet. Add somebody to step 1.']);
  });

  it('names conditions and people', () => {
    expect(policy.steps.map(conditionOf)).toEqual(['', 'critical and high only, Mon, Fri 09:00 to 17:00']);
    expect(policy.steps.map(whoOf)).toEqual(['24/7 Support', 'one of Mara or Jonas in turn']);
  });
});

it.each([
  [0, '0 min'],
  [30, '30 s'],
  [300, '5 min'],
  [5400, '1 h 30 min'],
  [86_400, '1 day'],
  [180_061, '2 days 2 h'],
])('%i seconds are %s', (seconds, words) => expect(lengthOf(seconds)).toBe(words));

it('joins words', () =>
  expect([listed([]), listed(['a']), listed(['a', 'b', 'c'], 'or')]).toEqual(['', 'a', 'a, b or c']));
