import { always, closedSpans, openMinutes, type Span, spansInWords, week } from './hours';
import { type Policy, severities } from './policy';
import { listed } from './words';

/** When no step of a policy is for incidents of a severity; the last resort is paged then. */
export interface SeverityCoverage {
  severity: string;
  holes: readonly Span[];
}

/**
 * The hours of a week in which no step applies, for each severity, but for those in which nobody is
 * meant to be paged. Steps that page nobody yet count for nothing.
 */
export function coverageOf(policy: Pick<Policy, 'steps' | 'quiet'>): SeverityCoverage[] {
  const steps = [...policy.steps.filter((step) => step.targets.length > 0), ...policy.quiet].map((step) => ({
    severities: step.severities,
    open: openMinutes(step.hours),
  }));
  return severities.map((severity) => {
    const covered = new Uint8Array(week);
    for (const step of steps) {
      if (step.severities.length > 0 && !step.severities.includes(severity)) continue;
      step.open.forEach((isOpen, minute) => {
        if (isOpen) covered[minute] = 1;
      });
    }
    return { severity, holes: closedSpans(covered) };
  });
}

/** The holes in sentences, severities with the same holes together. Empty when there are none. */
export function holesInWords(coverage: readonly SeverityCoverage[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { severity, holes } of coverage) {
    if (holes.length === 0) continue;
    const words = spansInWords(holes);
    groups.set(words, [...(groups.get(words) ?? []), severity]);
  }
  return [...groups].map(([words, names]) => {
    const whom = names.length === severities.length ? 'any incident' : `${listed(names)} incidents`;
    return words === always ? `No step is for ${whom}.` : `${words}: no step is for ${whom}.`;
  });
}

/** The share of the week that is covered, for a figure beside the picture: "100%". Never rounded up to all. */
export function coveredShare({ holes }: SeverityCoverage): string {
  const missing = holes.reduce((sum, { from, to }) => sum + to - from, 0);
  return `${Math.floor(((week - missing) / week) * 100)}%`;
}
