import type { WebhookSubscriptionJson } from '@nightbell/proto';
import { useQueryClient } from '@tanstack/react-query';
import { DraftForm } from '~/components/draft-form';
import { DraftProblem } from '~/components/draft-problem';
import { Button } from '~/components/ui/button';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { CopyButton } from '~/components/ui/copy-button';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { Submit } from '~/components/ui/submit';
import {
  useChangeWebhook,
  useCreateWebhook,
  useDeleteWebhook,
  useRotateSecret,
  webhookById,
} from '~/data/webhooks';
import { useDraft } from '~/lib/draft';
import { draftOf, toChange, toRequest, webhookWords } from '../model/webhook';
import { WebhookFields } from './webhook-form';
import * as styles from './webhooks.module.css';

/** Makes a webhook and shows its secret, this once. */
export function CreateWebhookDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateWebhook();
  const edit = useDraft({
    stored: {},
    draftOf,
    request: (draft) => {
      const { filter, ...rest } = toRequest(draft);
      return filter ? { ...rest, filter } : rest;
    },
    save: create,
    onSaved: () => undefined,
  });
  if (create.data?.secret) return <SecretDialog secret={create.data.secret} onClose={onClose} />;
  return (
    <Dialog title="Create webhook" saving={edit.pending} onClose={onClose}>
      <DraftForm of={edit}>
        <DraftProblem of={edit} />
        <WebhookFields of={edit} />
        <Submit
          size="lg"
          pending={edit.pending}
          disabled={edit.draft.events.length === 0}
          doing="Creating webhook..."
        >
          Create webhook
        </Submit>
        <p className={dialogKit.note}>It is told what happens from now on.</p>
      </DraftForm>
    </Dialog>
  );
}

function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="Copy the secret now" saving={false} onClose={onClose}>
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
  const edit = useDraft({
    stored: webhook,
    draftOf,
    request: (draft, base) => ({
      id: base.id ?? '',
      etag: base.etag,
      ...toChange(draftOf(base), draft),
    }),
    save: useChangeWebhook(),
    onSaved: onClose,
    fetchNow: () => client.query({ ...webhookById(webhook.id ?? ''), staleTime: 0 }),
    words: () => webhookWords,
  });
  return (
    <Dialog title="Edit webhook" saving={edit.pending} onClose={onClose}>
      <DraftForm of={edit}>
        <DraftProblem of={edit} />
        <WebhookFields of={edit} />
        <Submit size="lg" pending={edit.pending} disabled={edit.draft.events.length === 0} doing="Saving...">
          Save webhook
        </Submit>
        <p className={dialogKit.note}>Of the address only the host is shown. As it is, it stays.</p>
      </DraftForm>
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
