/** Every address of the site, so that a link and its route cannot drift apart. */
export const paths = {
  home: '/',
  docs: '/docs',
  docsDeploy: '/docs#deploy',
  docsFirstAlert: '/docs/alerts#first-alert',
  dashboard: '/dashboard',
  incidents: '/incidents',
  incident: (id: string) => `/incidents/${id}`,
  onCall: '/oncall',
  newSchedule: '/oncall/schedules/new',
  schedule: (id: string) => `/oncall/schedules/${id}`,
  policies: '/oncall/policies',
  newPolicy: '/oncall/policies/new',
  policy: (id: string) => `/oncall/policies/${id}`,
  teams: '/oncall/teams',
  maintenance: '/oncall/maintenance',
  explain: '/oncall/explain',
  explainService: (id: string) => `/oncall/explain?service=${encodeURIComponent(id)}`,
  contacts: '/oncall/contacts',
  services: '/services',
  service: (id: string) => `/services/${id}`,
  integrations: '/integrations',
  webhooks: '/integrations/webhooks',
  webhook: (id: string) => `/integrations/webhooks/${id}`,
  inbox: '/inbox',
  users: '/users',
  analytics: '/analytics',
  settings: '/settings',
  sessions: '/settings/sessions',
  organization: '/settings/organization',
  apiKeys: '/settings/api-keys',
  auditLog: '/settings/audit',
  resetPassword: '/reset-password',
  terms: '/terms',
  privacy: '/privacy',
  cookies: '/cookies',
} as const;

/** Whether an address is in the documentation, which is loaded as a document of its own, with its hash. */
export function isDocs(to: string): boolean {
  return /^\/docs(?=$|[/#])/.test(to);
}
