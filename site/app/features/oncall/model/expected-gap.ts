import { isGap, type Problem, type Shift } from './schedule';

/**
 * Whether a shift without people is only the time outside of the schedule's hours, which comes back
 * every week: no person is needed for it. `problems` are those of the shift's schedule.
 */
export function isExpectedGap(shift: Shift, problems: readonly Problem[]): boolean {
  const gaps = problems.filter((problem) => problem.kind === 'gap');
  if (!isGap(shift) || shift.because !== 'nothing' || !gaps.some((gap) => gap.weekly)) return false;
  return !gaps.some((gap) => !gap.weekly && gap.from < shift.to && gap.to > shift.from);
}
