import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import grafana from '~/assets/logos/grafana.svg';
import prometheus from '~/assets/logos/prometheus.svg';
import slack from '~/assets/logos/slack.svg';
import { Badge } from '~/components/ui/badge';
import { ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { ToolLogo } from '~/components/ui/tool-logo';
import { slackConfig } from '~/data/slack';
import { paths } from '~/lib/paths';
import * as styles from './integration-cards.module.css';

/** What works today: two senders by webhook, and the state of Slack. */
export function IntegrationCards() {
  const config = useQuery(slackConfig).data;
  return (
    <ul className={styles.integrationCards}>
      <IntegrationCard
        name="Prometheus"
        category="Monitoring"
        logo={prometheus}
        action={<ButtonLink to={paths.services}>Choose a service</ButtonLink>}
      >
        Point an Alertmanager receiver at a service's webhook address. Alerts that are resolved there resolve
        here.
      </IntegrationCard>
      <IntegrationCard
        name="Grafana"
        category="Monitoring"
        logo={grafana}
        action={<ButtonLink to={paths.services}>Choose a service</ButtonLink>}
      >
        Add a contact point of type Webhook with a service's address. Grafana's own fields are understood.
      </IntegrationCard>
      <IntegrationCard
        name="Slack"
        category="Communication"
        logo={slack}
        badge={config && (config.active ? <Badge tone="ok">Connected</Badge> : <Badge>Not Connected</Badge>)}
      >
        {config?.active
          ? `Connected to ${config.channel}.`
          : 'A shared channel with an incoming webhook already receives pages; see On-Call. The app with Acknowledge and Resolve buttons is not built yet.'}
      </IntegrationCard>
    </ul>
  );
}

interface IntegrationCardProps {
  name: string;
  category: string;
  logo: string;
  badge?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

function IntegrationCard({ name, category, logo, badge, action, children }: IntegrationCardProps) {
  return (
    <li className={cardKit.card}>
      <div className="row">
        <ToolLogo name={name} src={logo} />
        <div className="grow">
          <h2>{name}</h2>
          <p className="text-3 size-12">{category}</p>
        </div>
        {badge}
      </div>
      <p className="text-2">{children}</p>
      {action}
    </li>
  );
}
