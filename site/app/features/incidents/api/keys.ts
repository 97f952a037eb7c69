/** The cache keys of everything about incidents. Invalidating `all` renews the whole feature. */
export const incidentKeys = {
  all: ['incidents'] as const,
  list: ['incidents', 'list'] as const,
  counts: ['incidents', 'counts'] as const,
  ones: ['incidents', 'one'] as const,
  one: (id: string) => ['incidents', 'one', id] as const,
  timeline: (id: string) => ['incidents', 'one', id, 'timeline'] as const,
  notifications: (id: string) => ['incidents', 'one', id, 'notifications'] as const,
  alerts: (id: string) => ['incidents', 'one', id, 'alerts'] as const,
  report: (id: string, alertId: string) => ['incidents', 'one', id, 'report', alertId] as const,
};
