import type { WebhookSubscriptionJson } from '@nightbell/proto';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '~/components/ui/button';
import { Icon } from '~/components/ui/icon';
import * as noticeKit from '~/components/ui/notice.module.css';
import { useChangeWebhook, useTestWebhook } from '~/data/webhooks';
import { reasonOf } from '~/lib/api';
import { paths } from '~/lib/paths';
import { dateOf } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';
import { toast } from '~/lib/toast';
import { DeleteWebhookDialog, EditWebhookDialog } from './webhook-dialogs';

const failed = (title: string) => (cause: Error) =>
  toast({ kind: 'failure', title, detail: reasonOf(cause) });

/** What can be done with a webhook: try it, change it, pause it, end it. */
export function WebhookActions({ webhook }: { webhook: WebhookSubscriptionJson }) {
  const { id = '', etag, enabled = false } = webhook;
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const test = useTestWebhook(id);
  const change = useChangeWebhook();
  const navigate = useNavigate();
  const close = () => setOpen(null);
  const turn = enabled ? 'Pause' : 'Resume';
  return (
    <>
      <Button
        icon="play"
        disabled={test.isPending || !enabled}
        title={enabled ? undefined : 'Resume it first'}
        onClick={() => test.mutate(undefined, { onError: failed('Test event not sent') })}
      >
        Send test event
      </Button>
      <Button
        icon={enabled ? 'pause' : 'play'}
        disabled={change.isPending}
        labels={['Resume']}
        onClick={() => change.mutate({ id, etag, enabled: !enabled }, { onError: failed(`${turn} failed`) })}
      >
        {turn}
      </Button>
      <Button icon="edit" onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button look="danger" icon="trash" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'edit' && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {open === 'delete' && (
        <DeleteWebhookDialog webhook={webhook} onClose={close} onDeleted={() => navigate(paths.webhooks)} />
      )}
    </>
  );
}

/** Why nothing is delivered, above everything else, and what to do. */
export function WebhookTrouble({ webhook }: { webhook: WebhookSubscriptionJson }) {
  const { enabled, disabled_reason: reason, failing_since_at: since } = webhook;
  const words = enabled
    ? since &&
      `Nothing was delivered since ${fullTime(dateOf(since))}, although it was tried. The answers are below; Try now does not wait for the next try.`
    : reason &&
      `Nightbell disabled this webhook: ${reason} Mend the receiver and resume it; Replay events then brings what it missed.`;
  if (!words) return null;
  return (
    <div className={noticeKit.notice} role="status">
      <Icon name="alert" />
      <p>{words}</p>
    </div>
  );
}
