import type { WebhookSubscriptionJson } from '@nightbell/proto';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { EditConflict } from '~/components/edit-conflict';
import { Button } from '~/components/ui/button';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { CopyButton } from '~/components/ui/copy-button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import {
  useChangeWebhook,
  useCreateWebhook,
  useDeleteWebhook,
  useRotateSecret,
  webhookById,
} from '~/data/webhooks';
import { reasonOf } from '~/lib/api';
import { isConflict, onTop, theirChanges } from '~/lib/edits';
import { draftOf, toChange, toRequest, type WebhookDraft, webhookWords } from '../model/webhook';
import { WebhookFields } from './webhook-form';
import * as styles from './webhooks.module.css';

/** Makes a webhook and shows its secret, this once. */
export function CreateWebhookDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateWebhook();
  const [draft, setDraft] = useState(() => draftOf());
  if (create.data?.secret) return <SecretDialog secret={create.data.secret} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { filter, ...rest } = toRequest(draft);
    create.mutate(filter ? { ...rest, filter } : rest);
  };
  return (
    <Dialog title="Create webhook" onClose={onClose}>
      <form onSubmit={submit}>
        {create.isError && <Banner tone="failed">{reasonOf(create.error)}</Banner>}
        <WebhookFields draft={draft} onChange={setDraft} />
        <Button
          type="submit"
          look="primary"
          size="lg"
          disabled={create.isPending || draft.events.length === 0}
          labels={['Creating webhook...']}
        >
          {create.isPending ? 'Creating webhook...' : 'Create webhook'}
        </Button>
        <p className={dialogKit.note}>It is told what happens from now on.</p>
      </form>
    </Dialog>
  );
}

function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="Copy the secret now" onClose={onClose}>
      <div className={dialogKit.body}>
        <p className="text-2">
          Every delivery is signed with it, as Standard Webhooks has it. Nightbell cannot show it again.
        </p>
        <code className={styles.secret}>{secret}</code>
        <div className={dialogKit.choices}>
          <CopyButton text={secret} word="Copy secret" />
          <Button onClick={onClose}>I have stored it</Button>
        </div>
      </div>
    </Dialog>
  );
}

interface WebhookDialogProps {
  webhook: WebhookSubscriptionJson;
  onClose: () => void;
}

/** Changes where a webhook calls and what it is told of. */
export function EditWebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const client = useQueryClient();
  // The version that the fields are based on, and what somebody else has stored meanwhile.
  const [base, setBase] = useState(webhook);
  const [theirs, setTheirs] = useState<WebhookSubscriptionJson | null>(null);
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const save = useChangeWebhook({ id: webhook.id ?? '', etag: base.etag });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(toChange(draftOf(base), draft), {
      onSuccess: onClose,
      onError: async (error) => {
        if (isConflict(error))
          setTheirs(await client.query({ ...webhookById(webhook.id ?? ''), staleTime: 0 }));
      },
    });
  };
  const goOn = (next: WebhookDraft) => {
    setDraft(next);
    setBase(theirs ?? base);
    setTheirs(null);
    save.reset();
  };
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <form onSubmit={submit}>
        {theirs && (
          <EditConflict
            changes={theirChanges(webhookWords, draftOf(base), draftOf(theirs), draft)}
            onKeepMine={() => goOn(onTop(draftOf(base), draft, draftOf(theirs)))}
            onTakeTheirs={() => goOn(draftOf(theirs))}
          />
        )}
        {save.isError && !theirs && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
        <WebhookFields draft={draft} onChange={setDraft} />
        <Button
          type="submit"
          look="primary"
          size="lg"
          disabled={save.isPending || draft.events.length === 0}
          labels={['Saving...']}
        >
          {save.isPending ? 'Saving...' : 'Save webhook'}
        </Button>
        <p className={dialogKit.note}>Of the address only the host is shown. As it is, it stays.</p>
      </form>
    </Dialog>
  );
}

/** Ends a webhook. `onDeleted` leaves its page. */
export function DeleteWebhookDialog({
  webhook,
  onClose,
  onDeleted,
}: WebhookDialogProps & { onDeleted: () => void }) {
  const remove = useDeleteWebhook(webhook.id ?? '');
  return (
    <ConfirmDialog
      title="Delete webhook"
      verb="Delete webhook"
      doing="Deleting..."
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      <p className="text-2">
        <b className="strong">{webhook.name}</b> is told nothing any more, not even what waits now. Its
        deliveries are deleted with it.
      </p>
    </ConfirmDialog>
  );
}

/** Makes another secret and shows it, this once. */
export function RotateSecretDialog({ webhook, onClose }: WebhookDialogProps) {
  const rotate = useRotateSecret(webhook.id ?? '');
  if (rotate.data) return <SecretDialog secret={rotate.data} onClose={onClose} />;
  return (
    <ConfirmDialog
      title="Rotate secret"
      verb="Rotate secret"
      doing="Rotating..."
      look="primary"
      pending={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      <p className="text-2">
        For 24 hours deliveries are signed with both secrets, so that the receiver can change over without
        losing one. A secret that was replaced before ends now.
      </p>
    </ConfirmDialog>
  );
}
