import type { IconName } from '~/components/ui/icon';

/** The worst first. */
export const severities = ['critical', 'high', 'medium', 'low'] as const satisfies readonly IconName[];

/** What each one is for (specification, section 4). */
export const severityMeaning: Record<(typeof severities)[number], string> = {
  critical: 'service fully down or data loss',
  high: 'major functionality broken',
  medium: 'partial',
  low: 'minor',
};

/** The road sign of a severity; that of low for an unknown word. */
export function severityIcon(severity: string): IconName {
  return severities.find((sign) => sign === severity) ?? 'low';
}
