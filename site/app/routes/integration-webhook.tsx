import { useQuery } from '@tanstack/react-query';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import * as cardKit from '~/components/ui/card.module.css';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { deliveryList, webhookById } from '~/data/webhooks';
import { Deliveries } from '~/features/integrations/components/deliveries';
import { WebhookActions, WebhookTrouble } from '~/features/integrations/components/webhook-actions';
import { WebhookFacts } from '~/features/integrations/components/webhook-facts';
import * as styles from '~/features/integrations/components/webhooks.module.css';
import { paths } from '~/lib/paths';
import { isAtLeast, mayAct } from '~/lib/role';
import type { Route } from './+types/integration-webhook';

export function clientLoader({ params: { id } }: Route.ClientLoaderArgs) {
  return prefetch((client) =>
    isAtLeast('admin') ? [client.query(webhookById(id)), client.infiniteQuery(deliveryList(id))] : [],
  );
}

/** One webhook: where it calls, what it was told, and what came of that. */
export default function IntegrationWebhook({ params: { id } }: Route.ComponentProps) {
  // Nothing of one webhook may stand on the page of the next: no address, secret or dialog.
  return <Page key={id} id={id} />;
}

function Page({ id }: { id: string }) {
  const may = mayAct('admin');
  const webhook = useQuery({ ...webhookById(id), enabled: may });
  const name = webhook.data?.name || 'Webhook';
  return (
    <>
      <Crumb to={paths.webhooks} parent="Webhooks" here={name} />
      <PageHead title={name}>{webhook.data && <WebhookActions webhook={webhook.data} />}</PageHead>
      {!may && <Empty>Only admins and owners see this. Ask one of them.</Empty>}
      {may && webhook.isPending && (
        <div className={cardKit.card}>
          <Loading what="webhook" />
        </div>
      )}
      <FetchFailed of={webhook} card>
        Failed to load webhook
      </FetchFailed>
      {webhook.data && (
        <>
          <WebhookTrouble webhook={webhook.data} />
          <div className={styles.webhookColumns}>
            <Boundary what="The deliveries">
              <Deliveries webhookId={id} enabled={webhook.data.enabled ?? false} />
            </Boundary>
            <Boundary what="The configuration">
              <WebhookFacts webhook={webhook.data} />
            </Boundary>
          </div>
        </>
      )}
    </>
  );
}
