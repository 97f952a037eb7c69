/** Every address of the site, so that a link and its route cannot drift apart. */
export const paths = {
  home: '/',
  docs: '/docs',
  dashboard: '/dashboard',
  incidents: '/incidents',
  incident: (id: string) => `/incidents/${id}`,
  onCall: '/oncall',
  services: '/services',
  service: (id: string) => `/services/${id}`,
  integrations: '/integrations',
  inbox: '/inbox',
  terms: '/terms',
  privacy: '/privacy',
  cookies: '/cookies',
} as const;
