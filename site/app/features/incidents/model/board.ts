import { holder, type Incident } from './incident';

/** What the dashboard's table is narrowed to; empty texts narrow nothing. */
export interface BoardFilter {
  text: string;
  status: string;
  severity: string;
  service: string;
  assignee: string;
}

/** What an address says of it. */
export function filterOf(params: URLSearchParams): BoardFilter {
  const of = (name: string) => params.get(name) ?? '';
  return {
    text: of('q'),
    status: of('status'),
    severity: of('severity'),
    service: of('service'),
    assignee: of('assignee'),
  };
}

/** How many of its choices narrow anything, the text apart. */
export function chosen({ status, severity, service, assignee }: BoardFilter): number {
  return [status, severity, service, assignee].filter(Boolean).length;
}

/** The word for incidents that nobody has, where the id of a person would stand. */
export const nobody = 'nobody';

/** The incidents that pass, in their order. */
export function passing(incidents: readonly Incident[], filter: BoardFilter): Incident[] {
  const wanted = filter.text.trim().toLowerCase();
  return incidents.filter(
    (one) =>
      (filter.status === '' || one.status === filter.status) &&
      (filter.severity === '' || one.severity === filter.severity) &&
      (filter.service === '' || one.serviceId === filter.service) &&
      (filter.assignee === '' || (holder(one)?.id ?? nobody) === filter.assignee) &&
      (wanted === '' ||
        [one.title, one.description, one.serviceName].some((text) => text.toLowerCase().includes(wanted))),
  );
}

const priorities: Record<string, string> = { critical: 'P1', high: 'P2', medium: 'P3', low: 'P4' };

/** The priority of a severity: P1 for critical to P4 for low. */
export function priorityOf(severity: string): string {
  return priorities[severity] ?? 'P4';
}
