import { useState } from 'react';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { Button } from '~/components/ui/button';
import { Empty } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { webhookList } from '~/data/webhooks';
import { CreateWebhookDialog } from '~/features/integrations/components/webhook-dialogs';
import { WebhookList } from '~/features/integrations/components/webhook-list';
import { paths } from '~/lib/paths';
import { isAtLeast, mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => (isAtLeast('admin') ? [client.query(webhookList)] : []));
}

/** The programs that are told what happens. */
export default function IntegrationWebhooks() {
  const [creating, setCreating] = useState(false);
  const may = mayAct('admin');
  return (
    <>
      <Crumb to={paths.integrations} parent="Integrations" here="Webhooks" />
      <PageHead title="Webhooks">
        {may && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            Create webhook
          </Button>
        )}
      </PageHead>
      {may ? (
        <Boundary what="The webhooks">
          <WebhookList onCreate={() => setCreating(true)} />
        </Boundary>
      ) : (
        <Empty>Only admins and owners see this. Ask one of them.</Empty>
      )}
      {creating && <CreateWebhookDialog onClose={() => setCreating(false)} />}
    </>
  );
}
