import { describe, expect, it } from 'vitest';
import { askedOf, lengthParams, viewOf } from './period';

const view = (query: string) => viewOf(new URLSearchParams(query));

describe('the period in the address', () => {
  it('is 30 days compared unless it says otherwise', () => {
    expect(askedOf(view(''))).toEqual({ days: 30, compare: true, serviceId: '', teamId: '' });
    expect(askedOf(view('days=7&compare=off&service=s1&team=t1'))).toEqual({
      days: 7,
      compare: false,
      serviceId: 's1',
      teamId: 't1',
    });
    expect(view('days=12').length).toBe('30');
  });

  it('lasts from the first midnight to the one after the last day', () => {
    const asked = askedOf(view('from=2026-10-01&to=2026-10-31'));
    expect(asked?.since).toEqual(new Date(2026, 9, 1));
    expect(asked?.until).toEqual(new Date(2026, 10, 1));
  });

  it.each([
    ['from=2026-10-02&to=2026-10-01', 'The last day is before the first.'],
    ['from=2026-10-02&to=', 'Choose the first and the last day.'],
    ['from=x&to=2026-10-01', 'Choose the first and the last day.'],
    ['from=2025-01-01&to=2026-10-01', 'Choose 400 days or fewer.'],
  ])('%s is none', (query, problem) => {
    expect(view(query).problem).toBe(problem);
    expect(askedOf(view(query))).toBeNull();
  });

  it('becomes one of one’s own where it was', () => {
    const today = new Date(2026, 10, 24, 12);
    expect(lengthParams('custom', view('days=7'), today)).toEqual({
      days: '',
      from: '2026-11-17',
      to: '2026-11-24',
    });
    expect(lengthParams('30', view('from=2026-10-01&to=2026-10-02'), today)).toEqual({
      days: '',
      from: '',
      to: '',
    });
  });
});
