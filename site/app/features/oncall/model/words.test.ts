import { describe, expect, it } from 'vitest';
import { cadenceWords, daysWords, gapWords, shiftWords, windowWords } from './words';

const zone = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);
const hour = 3_600_000;

describe('shifts and gaps', () => {
  it('leave out a length that is not known', () => {
    const from = at('2026-03-28T07:00:00Z');
    expect(shiftWords({ from, to: from + 6 * hour }, zone)).toBe('Sat 28 Mar 08:00 to 14:00, 6 h');
    expect(shiftWords({ from, to: Number.POSITIVE_INFINITY }, zone)).toBe('From Sat 28 Mar 08:00 on');
    expect(shiftWords({ from: Number.NEGATIVE_INFINITY, to: from }, zone)).toBe('Until Sat 28 Mar 08:00');
  });

  it('say when a gap is now', () => {
    const gap = { from: at('2026-03-28T07:00:00Z'), to: at('2026-03-28T13:00:00Z') };
    expect(gapWords(gap, zone, gap.from - hour)).toBe('Sat 28 Mar 08:00 to 14:00');
    expect(gapWords(gap, zone, gap.from)).toBe('now, until Sat 28 Mar 14:00');
  });
});

describe('cadences', () => {
  const base = { handover: '08:00', weekday: 'monday' };
  it.each([
    [{ ...base, unit: 'day', length: 1 }, 'Every day at 08:00'],
    [{ ...base, unit: 'week', length: 2 }, 'Every 2 weeks, Monday at 08:00'],
    [{ ...base, unit: 'hour', length: 12 }, 'Every 12 hours, counted from 08:00'],
  ] as const)('%o reads "%s"', (rotation, words) => {
    expect(cadenceWords(rotation)).toBe(words);
  });

  it('name days together', () => {
    expect(daysWords(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'])).toBe('weekdays');
    expect(daysWords(['sunday', 'saturday'])).toBe('weekend');
    expect(daysWords(['wednesday', 'monday', 'tuesday'])).toBe('Mon to Wed');
    expect(daysWords(['monday', 'wednesday'])).toBe('Mon, Wed');
    expect(daysWords([])).toBe('');
  });

  it('name hours, and the next day', () => {
    expect(windowWords([{ days: [], from: '20:00', to: '08:00' }])).toBe('20:00 to 08:00');
    expect(windowWords([{ days: ['saturday', 'sunday'], from: '00:00', to: '00:00' }])).toBe(
      'Weekend all day',
    );
    expect(windowWords([{ days: ['friday'], from: '18:00', to: '18:00' }])).toBe(
      'Fri 18:00 to 18:00 the next day',
    );
  });
});
