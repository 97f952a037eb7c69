/** The cache keys of everything about schedules. Invalidating `all` renews the whole feature. */
export const oncallKeys = {
  all: ['oncall'] as const,
  schedules: ['oncall', 'schedules'] as const,
  schedule: (id: string) => ['oncall', 'schedules', id] as const,
  timeline: (id: string, from: number, to: number) => ['oncall', 'timeline', id, from, to] as const,
  preview: (body: string) => ['oncall-preview', body] as const,
  problems: (scheduleId?: string) => ['oncall', 'problems', scheduleId ?? ''] as const,
  overrides: (past: boolean) => ['oncall', 'overrides', past] as const,
  override: (id: string) => ['oncall', 'override', id] as const,
  next: (policyId: string, at: number | null) => ['oncall', 'next', policyId, at] as const,
  feeds: ['oncall', 'feeds'] as const,
};
