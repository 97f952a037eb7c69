import { describe, expect, it } from 'vitest';
import { isExpectedGap } from './expected-gap';
import { toProblem, toShift } from './schedule';

const gap = { starts_at: '2026-03-28T07:00:00Z', ends_at: '2026-03-28T13:00:00Z' };
const shift = toShift({ ...gap, users: [], because: 'nothing' });
const problem = (more: object) => toProblem({ kind: 'gap', schedule: { id: 's1' }, ...more });
const weekly = problem({ starts_at: '2026-03-21T07:00:00Z', ends_at: '2026-03-21T13:00:00Z', weekly: true });

describe('a gap', () => {
  it('is expected outside of the hours that a schedule leaves out every week', () => {
    expect(isExpectedGap(shift, [weekly])).toBe(true);
  });

  it('is not when no hours are left out, or when this one is named by itself', () => {
    expect(isExpectedGap(shift, [])).toBe(false);
    expect(isExpectedGap(shift, [weekly, problem(gap)])).toBe(false);
  });

  it('is not when an override leaves it vacant, nor when somebody is on', () => {
    expect(isExpectedGap({ ...shift, because: 'override' }, [weekly])).toBe(false);
    expect(isExpectedGap({ ...shift, people: [{ id: 'u1', name: 'Mara' }] }, [weekly])).toBe(false);
  });
});
