const logos = import.meta.glob<string>('~/assets/logos/*.svg', {
  eager: true,
  query: '?url',
  import: 'default',
});

/** A tool of the integrations grid. */
export interface Tool {
  name: string;
  category: string;
  /** Address of the vendored logo; empty when there is none. */
  logo: string;
}

/** The 12 tools the landing page names. */
export const tools: readonly Tool[] = [
  tool('Slack', 'Communication'),
  tool('GitHub', 'Version Control'),
  tool('Datadog', 'Monitoring'),
  tool('Jira', 'Ticketing'),
  tool('PagerDuty', 'On-Call'),
  tool('Zendesk', 'Customer Support'),
  tool('Prometheus', 'Metrics'),
  tool('Grafana', 'Dashboards'),
  tool('Sentry', 'Error Tracking'),
  tool('AWS CloudWatch', 'Cloud'),
  tool('Kubernetes', 'Infrastructure'),
  tool('Opsgenie', 'On-Call'),
];

function tool(name: string, category: string): Tool {
  const file = `/${name.toLowerCase().replace(/\s+/g, '-')}.svg`;
  const path = Object.keys(logos).find((key) => key.endsWith(file));
  return { name, category, logo: path ? (logos[path] ?? '') : '' };
}
