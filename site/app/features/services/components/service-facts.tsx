import type { ServiceJson } from '@nightbell/proto';
import { Link } from 'react-router';
import { AddressLink } from '~/components/ui/address-link';
import { Card } from '~/components/ui/card';
import { paths } from '~/lib/paths';
import { groupings } from '../model/service-words';
import * as styles from './service-facts.module.css';

/** Whose service it is, and what pages whom. */
export function ServiceConfiguration({ service }: { service: ServiceJson }) {
  return (
    <Card title="Configuration">
      <dl className={styles.facts}>
        {service.description && (
          <>
            <dt>About</dt>
            <dd>{service.description}</dd>
          </>
        )}
        <dt>Owner</dt>
        <dd>{[service.team?.name, service.owner?.name].filter(Boolean).join(', ') || 'Nobody'}</dd>
        <dt>On-call</dt>
        <dd>
          {service.escalation_policy?.id ? (
            <Link className="link" to={paths.policy(service.escalation_policy.id)}>
              {service.escalation_policy.name}
            </Link>
          ) : (
            'Default policy'
          )}
          <Link className={`link ${styles.who}`} to={paths.explainService(service.id ?? '')}>
            Who would be paged?
          </Link>
        </dd>
        <dt>Tier</dt>
        <dd>{service.tier ?? 3}</dd>
        <dt>Repo</dt>
        <dd>
          <Address of={service.repo_url} />
        </dd>
        <dt>Runbook</dt>
        <dd>
          <Address of={service.runbook_url} />
        </dd>
        <dt>Grouping</dt>
        <dd>{groupings.find(({ value }) => value === service.grouping)?.word ?? service.grouping}</dd>
      </dl>
    </Card>
  );
}

function Address({ of: url }: { of: string | undefined }) {
  if (!url) return 'Not set';
  return (
    <AddressLink className="link" to={url}>
      {url.replace(/^https?:\/\//, '')}
    </AddressLink>
  );
}
