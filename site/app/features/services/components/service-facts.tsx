import type { ServiceJson } from '@nightbell/proto';
import { Link } from 'react-router';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { CodeBlock } from '~/components/ui/code-block';
import { Banner } from '~/components/ui/dialog';
import { Empty } from '~/components/ui/states';
import { useWebhookAddress } from '~/data/services';
import { reasonOf } from '~/lib/api';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { alertmanagerReceiver, testAlertCommand } from '../model/curl';
import * as styles from './service-facts.module.css';

/** Whose service it is, and what pages whom. */
export function ServiceConfiguration({ service }: { service: ServiceJson }) {
  return (
    <Card title="Configuration">
      <dl className={styles.facts}>
        <dt>Owner</dt>
        <dd>{service.team?.name || service.owner?.name || 'Nobody'}</dd>
        <dt>Escalation</dt>
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
        <dd>{service.repo_url || 'Not set'}</dd>
        <dt>Grouping</dt>
        <dd>{service.grouping === 'alert' ? 'One incident per alert' : 'One incident per group'}</dd>
      </dl>
    </Card>
  );
}

/** How alerts reach the service: the address, a receiver for Alertmanager, and a test to paste. */
export function ServiceWebhook({ service }: { service: ServiceJson }) {
  const address = useWebhookAddress(service.id ?? '');
  const url = address.data;
  return (
    <Card title="Send alerts here">
      {!mayAct('responder') && <Empty>The webhook address is shown to responders and above.</Empty>}
      {mayAct('responder') && !url && (
        <div className={`${cardKit.pad} stack`}>
          {address.error && <Banner tone="failed">{reasonOf(address.error)}</Banner>}
          <p className="text-3 size-12">Whoever has the webhook address can send alerts to this service.</p>
          <Button disabled={address.isPending} onClick={() => address.mutate()}>
            Show the webhook address
          </Button>
        </div>
      )}
      {url && (
        <div className={`${cardKit.pad} stack`}>
          <CodeBlock title="Webhook URL" code={url} />
          <CodeBlock title="alertmanager.yml" code={alertmanagerReceiver(url)} />
          <CodeBlock title="Fire a test alert" code={testAlertCommand(url)} />
        </div>
      )}
    </Card>
  );
}
