import { describe, expect, it } from 'vitest';
import { toAnswer } from './answer';
import { toParams, toQuestion } from './question';

describe('a question', () => {
  it('survives the address', () => {
    const question = { service: 's1', severity: 'low', at: '2026-11-21T20:00:00.000Z' };
    expect(toQuestion(new URLSearchParams(toParams(question)))).toEqual(question);
  });

  it('of a broken address is the ordinary one', () => {
    expect(toQuestion(new URLSearchParams('severity=huge&at=soon'))).toEqual({
      service: '',
      severity: 'critical',
      at: '',
    });
  });
});

describe('an answer', () => {
  const at = '2026-11-21T12:00:00Z';
  const moments = [
    {
      at,
      after_seconds: 0,
      step: 1,
      round: 1,
      outcome: 'paged',
      pages: [
        {
          user: { id: 'u1', name: 'Mara' },
          why: { sentence: 'On call.' },
          contacts: [
            { channel: 'email', name: 'Work', hint: 'm', at },
            { channel: 'voice', name: 'Phone', hint: '17', at: '2026-11-21T12:02:00Z' },
          ],
        },
        { contacts: [{ channel: 'slack', name: '#incidents', at }] },
      ],
    },
    { at, after_seconds: 300, step: 2, round: 1, outcome: 'skipped', message: 'Nobody.' },
    { at, after_seconds: 900, step: 1, round: 2, outcome: 'last_resort' },
    { at, after_seconds: 1500, outcome: 'exhausted' },
  ];
  const answer = toAnswer({ at, summary: 'Mara.', moments, hold_ends_at: at, hold_reason: 'Upgrade' });

  it('names each moment', () => {
    expect(answer.moments.map(({ title, when }) => `${title} ${when}`)).toEqual([
      'Step 1 at once',
      'Step 2, skipped after 5m',
      'Last resort, round 2 after 15m',
      'Gives up after 25m',
    ]);
  });

  it('says who is told how, soonest first', () => {
    const [first] = answer.moments;
    expect(first?.pages.map(({ who, sentence }) => [who, sentence])).toEqual([
      ['Mara', 'On call.'],
      ['#incidents', ''],
    ]);
    expect(first?.pages[0]?.contacts.map(({ icon, delay }) => [icon, delay])).toEqual([
      ['mail', ''],
      ['phone', 'after 2m'],
    ]);
  });

  it('is empty for an empty one', () => {
    expect(toAnswer({})).toMatchObject({ summary: '', moments: [], heldUntil: null });
  });
});
