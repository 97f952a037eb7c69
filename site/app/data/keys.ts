/** The keys of the cache, each beginning with its noun. Asking `all` of a noun again renews the whole of it. */
export const incidentKeys = {
  all: ['incidents'] as const,
  list: ['incidents', 'list'] as const,
  counts: ['incidents', 'counts'] as const,
  metrics: ['incidents', 'metrics'] as const,
  ones: ['incidents', 'one'] as const,
  one: (id: string) => ['incidents', 'one', id] as const,
  timeline: (id: string) => ['incidents', 'one', id, 'timeline'] as const,
  notifications: (id: string) => ['incidents', 'one', id, 'notifications'] as const,
  alerts: (id: string) => ['incidents', 'one', id, 'alerts'] as const,
  report: (id: string, alertId: string) => ['incidents', 'one', id, 'report', alertId] as const,
};

export const serviceKeys = {
  all: ['services'] as const,
  list: ['services', 'list'] as const,
  one: (id: string) => ['services', 'one', id] as const,
  samples: (id: string, hours: number) => ['services', 'one', id, 'samples', hours] as const,
  activity: (id: string) => ['services', 'one', id, 'activity'] as const,
};

export const scheduleKeys = {
  all: ['schedules'] as const,
  list: ['schedules', 'list'] as const,
  one: (id: string) => ['schedules', 'one', id] as const,
  timeline: (id: string, from: number, to: number) => ['schedules', 'timeline', id, from, to] as const,
  problems: (id = '') => ['schedules', 'problems', id] as const,
  onCall: ['schedules', 'on-call'] as const,
  overrides: (past: boolean) => ['schedules', 'overrides', past] as const,
  override: (id: string) => ['schedules', 'override', id] as const,
};

export const policyKeys = {
  all: ['policies'] as const,
  list: ['policies', 'list'] as const,
  one: (id: string) => ['policies', 'one', id] as const,
};

export const maintenanceKeys = {
  all: ['maintenance'] as const,
  list: ['maintenance', 'list'] as const,
  one: (id: string) => ['maintenance', 'one', id] as const,
};

export const inboxKeys = {
  list: ['inbox', 'list'] as const,
  mail: (id: string) => ['inbox', 'mail', id] as const,
};

/** Explanations are asked for again whenever they are looked at; a draft of a schedule is nobody else's business. */
export const explainKeys = { all: ['explain'] as const };
export const previewKey = (body: string) => ['schedule-preview', body] as const;

export const contactKeys = { all: ['contact-methods'] as const };
export const ruleKeys = { all: ['notification-rules'] as const };
export const feedKeys = { all: ['calendar-feeds'] as const };
export const installationKeys = { all: ['installation'] as const };
export const meKeys = { all: ['me'] as const };
export const memberKeys = {
  all: ['members'] as const,
  details: ['members', 'details'] as const,
  one: (id: string) => ['members', 'one', id] as const,
  duties: (id: string) => ['members', 'duties', id] as const,
};
export const invitationKeys = { all: ['invitations'] as const };
export const accountKeys = {
  sessions: ['account', 'sessions'] as const,
  organizations: ['account', 'organizations'] as const,
  duties: ['account', 'duties'] as const,
};
export const organizationKeys = { all: ['organization'] as const };
export const apiKeyKeys = { all: ['api-keys'] as const };
export const testPageKeys = {
  all: ['test-pages'] as const,
  one: (id: string) => ['test-pages', id] as const,
};
export const auditKeys = {
  all: ['audit'] as const,
  list: (query: string) => ['audit', query] as const,
};
export const senderKeys = {
  all: ['senders'] as const,
  of: (serviceId: string) => ['senders', serviceId] as const,
  opened: (serviceId: string, since: string) => ['senders', serviceId, 'opened', since] as const,
};
export const webhookKeys = {
  all: ['webhooks'] as const,
  list: ['webhooks', 'list'] as const,
  one: (id: string) => ['webhooks', 'one', id] as const,
  deliveries: (id: string) => ['webhooks', 'one', id, 'deliveries'] as const,
};
export const slackKeys = { all: ['slack'] as const };
export const teamKeys = { all: ['teams'] as const };
export const analyticsKeys = {
  all: ['analytics'] as const,
  of: (query: string) => ['analytics', query] as const,
};
