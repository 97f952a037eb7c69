import datadog from '~/assets/logos/datadog.svg';
import github from '~/assets/logos/github.svg';
import jira from '~/assets/logos/jira.svg';
import pagerduty from '~/assets/logos/pagerduty.svg';
import slack from '~/assets/logos/slack.svg';
import zendesk from '~/assets/logos/zendesk.svg';

/** The tabs of the page. */
export type View = 'all' | 'monitoring' | 'communication' | 'ticketing';

/** The tabs with the words of the specification. */
export const views: readonly { value: View; word: string }[] = [
  { value: 'all', word: 'All Integrations' },
  { value: 'monitoring', word: 'Monitoring' },
  { value: 'communication', word: 'Communication' },
  { value: 'ticketing', word: 'Ticketing' },
];

/** The tab of an address; the first one for what is none. */
export function viewOf(value: string | null): View {
  return views.find((one) => one.value === value)?.value ?? 'all';
}

/** A tool of the specification's six. */
export interface Tool {
  name: string;
  category: string;
  view: View;
  logo: string;
  /** What it does here, true of today. */
  about: string;
  /** What does the same today, in sentences; nothing for those that are set up here. */
  today?: string;
}

/** The six cards (specification, section 2), in its order. */
export const tools: readonly Tool[] = [
  {
    name: 'Slack',
    category: 'Communication',
    view: 'communication',
    logo: slack,
    about: 'Pages arrive in a channel of yours.',
  },
  {
    name: 'GitHub',
    category: 'Version Control',
    view: 'all',
    logo: github,
    about: 'Deployments stand beside the incidents that followed them.',
  },
  {
    name: 'Datadog',
    category: 'Monitoring',
    view: 'monitoring',
    logo: datadog,
    about: 'Not by itself yet: a script of yours tells Nightbell what its monitors find.',
    today:
      'Datadog has no address of its own here yet. Its monitors can run a script or a function of yours that calls Nightbell; "Your own script" in the catalogue has the two calls.',
  },
  {
    name: 'Jira',
    category: 'Ticketing',
    view: 'ticketing',
    logo: jira,
    about: 'Not by itself yet: a program of yours hears of incidents and opens the issues.',
    today:
      'Nightbell does not open issues by itself yet. A webhook tells a program of yours about every incident, signed and at least once; that program can open the issue.',
  },
  {
    name: 'PagerDuty',
    category: 'On-Call',
    view: 'all',
    logo: pagerduty,
    about: 'No import yet: your senders can page both while you move.',
    today:
      'There is no import from PagerDuty yet, and its senders are not understood. Point Alertmanager and Grafana at Nightbell beside it, and both are paged while you move.',
  },
  {
    name: 'Zendesk',
    category: 'Customer Support',
    view: 'ticketing',
    logo: zendesk,
    about: 'Not by itself yet: a program of yours hears of incidents and writes to it.',
    today:
      'Nightbell does not read tickets yet. A webhook tells a program of yours about every incident, signed and at least once; that program can write to Zendesk.',
  },
];

/** Whether something with these words is looked for. */
export function matches(text: string, ...words: readonly string[]): boolean {
  const wanted = text.trim().toLowerCase();
  return words.some((word) => word.toLowerCase().includes(wanted));
}
