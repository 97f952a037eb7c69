import { describe, expect, it } from 'vitest';
import { toTime } from '~/lib/time/time-of-day';
import { type Hours, office, weekdays } from '~/lib/time/week';
import { coverageOf, coveredShare, holesInWords } from './coverage';
import { closedSpans, daysInWords, hoursInWords, openMinutes, week } from './hours';
import { emptyStep, type Step } from './policy';

const night: Hours = { days: ['sunday'], from: '22:00', to: '06:00' };

const step = (fields: Partial<Step>): Step => ({
  ...emptyStep(),
  targets: [{ kind: 'user', id: 'u1', name: 'Mara' }],
  ...fields,
});
const words = (...steps: Step[]) => holesInWords(coverageOf({ steps, quiet: [] }));

describe('hours', () => {
  it('are counted to the minute, over midnight and over the end of the week', () => {
    const count = (...hours: Hours[]) => openMinutes(hours).reduce((sum, open) => sum + open, 0);
    expect(count()).toBe(week);
    expect(count(office)).toBe(5 * 8 * 60);
    expect(count(night)).toBe(8 * 60);
    expect(count({ days: [], from: '08:00', to: '08:00' })).toBe(week);
    expect(openMinutes([night])[0]).toBe(1);
    expect(openMinutes([night])[6 * 60]).toBe(0);
  });

  it('read as people say them', () => {
    expect(hoursInWords([])).toBe('always');
    expect(hoursInWords([office, night])).toBe('Mon to Fri 09:00 to 17:00, Sun 22:00 to 06:00');
    expect(hoursInWords([{ days: ['saturday', 'sunday'], from: '00:00', to: '00:00' }])).toBe('Sat, Sun');
    expect(daysInWords([])).toBe('every day');
    expect(daysInWords(['monday', 'wednesday', 'thursday', 'friday'])).toBe('Mon, Wed to Fri');
  });

  it('that are closed over the weekend stay in one piece', () => {
    const spans = closedSpans(openMinutes([office]));
    expect(spans).toHaveLength(5);
    expect(spans.at(-1)).toEqual({ from: (4 * 24 + 17) * 60, to: week + 9 * 60 });
  });
});

it.each([
  ['9', '09:00'],
  ['930', '09:30'],
  ['17:05', '17:05'],
  ['24:00', ''],
  ['9:', ''],
  ['12:75', ''],
  ['31', ''],
])('"%s" is the time "%s"', (text, time) => expect(toTime(text)).toBe(time));

describe('holes', () => {
  it('are none when a step is for everything', () => {
    expect(words(step({}))).toEqual([]);
    expect(coveredShare(coverageOf({ steps: [step({})], quiet: [] })[0] ?? never())).toBe('100%');
  });

  it('are the severities no step is for', () => {
    expect(words(step({ severities: ['critical', 'high'] }))).toEqual([
      'No step is for medium and low incidents.',
    ]);
  });

  it('are the hours no step is for', () => {
    expect(words(step({ hours: [office] }))).toEqual([
      'Mon to Thu 17:00 to 09:00, Fri 17:00 to Mon 09:00: no step is for any incident.',
    ]);
  });

  it('differ by severity', () => {
    const steps = [step({ hours: [office] }), step({ severities: ['critical'] })];
    expect(words(...steps)).toEqual([
      'Mon to Thu 17:00 to 09:00, Fri 17:00 to Mon 09:00: no step is for high, medium and low incidents.',
    ]);
    expect(coverageOf({ steps, quiet: [] }).map(coveredShare)).toEqual(['100%', '23%', '23%', '23%']);
  });

  it('are everything while no step pages anybody', () => {
    expect(words(emptyStep())).toEqual(['No step is for any incident.']);
  });

  it('are none where nobody is meant to be paged', () => {
    const steps = [step({ severities: ['critical', 'high'] })];
    const quiet = [{ key: 'q', severities: ['low'], hours: [] }];
    expect(holesInWords(coverageOf({ steps, quiet }))).toEqual(['No step is for medium incidents.']);
  });

  it('may be whole days', () => {
    expect(words(step({ hours: [{ days: office.days, from: '00:00', to: '00:00' }] }))).toEqual([
      'Sat 00:00 to Mon 00:00: no step is for any incident.',
    ]);
    expect(words(step({ hours: [{ days: weekdays.slice(0, 6), from: '00:00', to: '00:00' }] }))).toEqual([
      'Sun: no step is for any incident.',
    ]);
  });
});

function never(): never {
  throw new Error('there is always a severity');
}
