import { describe, expect, it } from 'vitest';
import { toField } from '~/lib/time/zone';
import { endingSentence, spanInWords, toRequest, toWindow, type Wish } from './window';

const now = new Date('2026-11-21T12:00:00Z');
const wish: Wish = {
  description: ' Upgrade ',
  serviceIds: ['s1'],
  startsAt: '',
  minutes: 60,
  endsAt: '',
};
const field = (iso: string) => toField(new Date(iso));

describe('a wish', () => {
  it('from now on leaves the start to the server', () => {
    expect(toRequest(wish, now)).toEqual({
      description: 'Upgrade',
      ends_at: '2026-11-21T13:00:00.000Z',
      service_ids: ['s1'],
    });
  });

  it('for later is of the reader’s clock', () => {
    const later = { ...wish, startsAt: field('2026-11-22T08:00:00Z'), minutes: 30 };
    expect(toRequest(later, now)).toMatchObject({
      starts_at: '2026-11-22T08:00:00.000Z',
      ends_at: '2026-11-22T08:30:00.000Z',
    });
  });

  it.each<[Partial<Wish>, string]>([
    [{ serviceIds: [] }, 'Choose at least one service.'],
    [{ minutes: null }, 'Choose when it ends.'],
    [{ startsAt: 'x' }, 'Choose when it starts.'],
    [
      { minutes: null, endsAt: field('2026-11-21T11:00:00Z') },
      'It has to end after it starts, and in the future.',
    ],
    [{ minutes: null, endsAt: field('2027-01-21T11:00:00Z') }, 'It can last 31 days at most.'],
  ])('%o is refused: %s', (fields, sentence) => {
    expect(toRequest({ ...wish, ...fields }, now)).toBe(sentence);
  });
});

it.each([
  [{ status: 'scheduled' }, 'It is called off. Incidents page as usual.'],
  [{ status: 'under_way' }, 'It holds no incident. From now on incidents page as usual.'],
  [
    { status: 'under_way', held_incident_count: 1 },
    '1 open incident is held. The people on call for it are paged at once.',
  ],
  [
    { status: 'under_way', held_incident_count: 3 },
    '3 open incidents are held. The people on call for them are paged at once.',
  ],
])('ending %o: %s', (json, sentence) => {
  expect(endingSentence(toWindow(json))).toBe(sentence);
});

it('names the second day only when it is another', () => {
  const span = (from: Date, to: Date) =>
    spanInWords(toWindow({ starts_at: from.toISOString(), ends_at: to.toISOString() }));
  const noon = new Date(2026, 10, 21, 12, 0);
  expect(span(noon, new Date(2026, 10, 21, 13, 30))).toMatch(/^Sat 21 Nov, 12:00 to 13:30 \S+$/);
  expect(span(noon, new Date(2026, 10, 22, 1, 0))).toMatch(/^Sat 21 Nov, 12:00 to Sun 22 Nov, 01:00 \S+$/);
});
