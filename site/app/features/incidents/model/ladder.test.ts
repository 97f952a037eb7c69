import type { NotificationJson } from '@nightbell/proto';
import { describe, expect, it } from 'vitest';
import { toIncident } from './incident';
import { ladder, nextStep } from './ladder';

const start = '2026-03-25T03:08:14Z';
const at = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString();
const mara = { id: 'u1', name: 'Mara Lindqvist' };
const incident = toIncident({ id: 'i1', title: 'Down', triggered_at: start });

function page(seconds: number, fields: NotificationJson): NotificationJson {
  return {
    id: `n${seconds}${fields.channel}`,
    step: 1,
    round: 1,
    user: mara,
    due_at: at(seconds),
    channel: 'email',
    ...fields,
  };
}

function tries(...notifications: NotificationJson[]) {
  return ladder(incident, notifications).flatMap((step) => step.tries);
}

describe('a try', () => {
  it('that was accepted says where it went and how long it took', () => {
    const attempts = [{ id: 'a', outcome: 'accepted', started_at: at(0.3), finished_at: at(0.91) }];
    expect(tries(page(0, { status: 'sent', contact_hint: 'm···@example.com', attempts }))).toMatchObject([
      {
        offset: '+0.3s',
        look: 'delivered',
        channel: 'E-mail',
        who: 'Mara Lindqvist',
        result: 'Sent to m···@example.com',
        took: '0.61s',
      },
    ]);
  });

  it('that failed once and then worked is two rows', () => {
    const attempts = [
      {
        id: 'a',
        outcome: 'temporary_failure',
        detail: 'Mailbox busy',
        started_at: at(0),
        finished_at: at(1),
      },
      { id: 'b', outcome: 'accepted', started_at: at(12), finished_at: at(13) },
    ];
    expect(tries(page(0, { status: 'sent', attempts })).map(({ look, result }) => [look, result])).toEqual([
      ['missed', 'Mailbox busy'],
      ['delivered', 'Sent'],
    ]);
  });

  it.each<[NotificationJson, string, string]>([
    [{ status: 'pending' }, 'waiting', 'Waiting'],
    [{ status: 'sending' }, 'waiting', 'Sending'],
    [{ status: 'sending', channel: 'voice' }, 'ringing', 'Ringing'],
    [{ status: 'failed', reason: 'No answer' }, 'missed', 'No answer'],
    [{ status: 'cancelled', reason: 'acknowledged' }, 'unneeded', 'Not needed'],
    [
      { status: 'pending', attempts: [{ id: 'a', detail: 'Refused', started_at: at(0) }] },
      'missed',
      'Refused, trying again',
    ],
  ])('%o looks %s and reads "%s"', (fields, look, result) => {
    expect(tries(page(60, fields))).toMatchObject([
      { look, result, offset: fields.attempts ? '+0.0s' : '+1:00' },
    ]);
  });

  it('to a shared channel names the channel', () => {
    expect(
      tries(page(0, { status: 'sent', user: undefined, channel: 'slack', contact_name: '#incidents' })),
    ).toMatchObject([{ who: '#incidents', person: null, result: 'Sent' }]);
  });
});

describe('why', () => {
  const why = {
    sentence: 'On call for 24/7 Support (Day) until 20:00; step 1 of Payments.',
    escalation_policy: { id: 'p1', name: 'Payments' },
    step: 1,
    round: 2,
    target_kind: 'schedule',
    target: { id: 'x', name: '24/7 Support' },
    because: 'rotation',
    because_name: 'Day',
    shift_starts_at: at(-3600),
    severity: 'critical',
    decided_at: at(0),
  };

  it('is said once for a person and a reason', () => {
    const rows = tries(
      page(0, { status: 'sent', why }),
      page(0, { status: 'sent', channel: 'sms', why }),
      page(0, { status: 'sent', channel: 'push', why, user: { id: 'u2', name: 'Jonas' } }),
    );
    expect(rows.map((row) => row.why !== null)).toEqual([true, false, true]);
  });

  it('has the details behind the sentence', () => {
    const [row] = tries(page(0, { status: 'sent', why }));
    expect(row?.why).toMatchObject({ sentence: why.sentence, policyId: 'p1', policyName: 'Payments' });
    expect(row?.why?.facts.map(([name]) => name)).toEqual([
      'Step',
      'Schedule',
      'Rotation',
      'Shift',
      'Severity then',
      'Decided',
    ]);
    expect(row?.why?.facts.slice(0, 3).map(([, value]) => value)).toEqual([
      '1, round 2',
      '24/7 Support',
      'Day',
    ]);
    expect(row?.why?.facts[3]?.[1]).toMatch(/^Since /);
  });

  it('is not known of older pages', () => {
    expect(tries(page(0, { status: 'sent' }))[0]?.why).toBeNull();
  });
});

it('groups by step and round in the order they are due', () => {
  const steps = ladder(incident, [
    page(600, { status: 'pending', round: 2 }),
    page(300, { status: 'sent', step: 2 }),
    page(0, { status: 'sent' }),
  ]);
  expect(steps.map((step) => step.title)).toEqual([
    'Step 1, at once',
    'Step 2, after 05:00',
    'Step 1, round 2, after 10:00',
  ]);
});

describe('what comes next', () => {
  const escalation = {
    status: 'active',
    policyName: 'P',
    step: 1,
    steps: 2,
    nextDueAt: new Date(at(300)),
    nextTargets: ['Jonas'],
    reason: '',
  };
  it('is the next step, with who is paged', () => {
    expect(nextStep(escalation)).toEqual({
      title: 'Step 2',
      dueAt: new Date(at(300)),
      targets: ['Jonas'],
      ends: false,
    });
  });
  it('is the first step when a round begins', () =>
    expect(nextStep({ ...escalation, step: 0 })?.title).toBe('Step 1'));
  it('is the end after the last step', () =>
    expect(nextStep({ ...escalation, step: 2, nextTargets: [] })).toMatchObject({
      title: 'Paging ends',
      ends: true,
    }));
  it.each([null, { ...escalation, status: 'stopped' }, { ...escalation, nextDueAt: null }])(
    'is nothing for %o',
    (none) => {
      expect(nextStep(none)).toBeNull();
    },
  );
});
