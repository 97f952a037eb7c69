import { describe, expect, it } from 'vitest';
import { endingSentence, toRequest, toWindow, type Wish } from './window';

const now = new Date('2026-11-21T12:00:00Z');
const wish: Wish = {
  description: ' Upgrade ',
  serviceIds: ['s1'],
  startsAt: '',
  minutes: 60,
  endsAt: '',
};
const field = (iso: string) => {
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
};

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
  [{ state: 'scheduled' }, 'It is called off. Incidents page as usual.'],
  [{ state: 'under_way' }, 'It holds no incident. From now on incidents page as usual.'],
  [
    { state: 'under_way', held_incidents: 1 },
    '1 open incident is held. The people on call for it are paged at once.',
  ],
  [
    { state: 'under_way', held_incidents: 3 },
    '3 open incidents are held. The people on call for them are paged at once.',
  ],
])('ending %o: %s', (json, sentence) => {
  expect(endingSentence(toWindow(json))).toBe(sentence);
});
