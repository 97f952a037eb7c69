import type { IconName } from '~/components/ui/icon';

const signs: readonly IconName[] = ['critical', 'high', 'medium', 'low'];

/** The road sign of a severity; that of low for an unknown word. */
export function severityIcon(severity: string): IconName {
  return signs.find((sign) => sign === severity) ?? 'low';
}
