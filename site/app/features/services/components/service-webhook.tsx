import type { ServiceJson } from '@nightbell/proto';
import { useState } from 'react';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { CodeBlock } from '~/components/ui/code-block';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { Banner } from '~/components/ui/dialog';
import { Empty } from '~/components/ui/states';
import { useRotateKey, useSendTestAlert } from '~/data/service-changes';
import { useServiceKey } from '~/data/service-key';
import { reasonOf } from '~/lib/api';
import { mayAct } from '~/lib/role';
import { dateOf } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';
import { toast } from '~/lib/toast';
import { alertmanagerReceiver, testAlert, testAlertCommand } from '../model/curl';

/** How alerts reach the service: a test, the address, a receiver for Alertmanager, and a new key. */
export function ServiceWebhook({ service }: { service: ServiceJson }) {
  const address = useServiceKey(service.id ?? '');
  const [asked, setAsked] = useState<'test' | 'rotate' | null>(null);
  const close = () => setAsked(null);
  const url = address.data?.url;
  return (
    <Card
      title="Send alerts here"
      actions={
        mayAct('responder') && (
          <Button icon="play" onClick={() => setAsked('test')}>
            Send test alert
          </Button>
        )
      }
    >
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
          {mayAct('admin') && <Button onClick={() => setAsked('rotate')}>Make a new key</Button>}
        </div>
      )}
      {asked === 'test' && mayAct('responder') && <TestAlertDialog service={service} onClose={close} />}
      {asked === 'rotate' && mayAct('admin') && (
        <RotateDialog service={service} onRotated={() => address.mutate()} onClose={close} />
      )}
    </Card>
  );
}

interface WebhookDialogProps {
  service: ServiceJson;
  onClose: () => void;
}

function TestAlertDialog({ service: { id = '', name = '' }, onClose }: WebhookDialogProps) {
  const send = useSendTestAlert(id);
  const body = testAlert(new Date(), `A test alert for ${name}, sent by hand`);
  const confirm = () =>
    send.mutate(
      { body },
      {
        onSuccess: () => {
          toast({ kind: 'success', title: 'Test alert sent successfully!' });
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title="Send test alert"
      verb="Send test alert"
      doing="Sending..."
      look="primary"
      pending={send.isPending}
      error={send.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p className="text-2">
        It takes the way of every alert: a critical incident of <b className="strong">{name}</b> opens, and
        whoever is on call is paged until somebody answers.
      </p>
    </ConfirmDialog>
  );
}

function RotateDialog({
  service: { id = '' },
  onRotated,
  onClose,
}: WebhookDialogProps & { onRotated: () => void }) {
  const rotate = useRotateKey(id);
  const confirm = () =>
    rotate.mutate(undefined, {
      onSuccess: ({ previous_key_expires_at: until }) => {
        const when = until ? ` until ${fullTime(dateOf(until))}` : ' for one more hour';
        toast({ kind: 'success', title: 'There is a new key', detail: `The one before works${when}.` });
        onRotated();
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title="Make a new key"
      verb="Make a new key"
      doing="Making..."
      pending={rotate.isPending}
      error={rotate.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p className="text-2">
        The key of now works for one more hour, so that no alert is lost while its senders are changed. After
        that, whatever still uses it is refused.
      </p>
    </ConfirmDialog>
  );
}
