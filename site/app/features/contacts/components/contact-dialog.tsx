import { DraftForm } from '~/components/draft-form';
import { DraftProblem } from '~/components/draft-problem';
import { Button } from '~/components/ui/button';
import { CopyButton } from '~/components/ui/copy-button';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField, TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { useAddContact } from '~/data/contact-methods';
import { useDraft } from '~/lib/draft';
import { toast } from '~/lib/toast';
import * as styles from './contact-list.module.css';

const kinds = [
  { value: 'email', word: 'E-mail', label: 'E-mail address', sample: 'mara@example.com', type: 'email' },
  {
    value: 'slack',
    word: 'Slack',
    label: 'Incoming webhook',
    sample: 'https://hooks.slack.com/...',
    type: 'url',
  },
  { value: 'webhook', word: 'Webhook', label: 'URL', sample: 'https://example.com/page-me', type: 'url' },
] as const;

/** Adds a way to reach the reader or, shared, a channel of the organization. A webhook's secret is shown this once. */
export function ContactDialog({ shared, onClose }: { shared: boolean; onClose: () => void }) {
  const add = useAddContact();
  const edit = useDraft({
    stored: { kind: 'email', name: '', address: '' },
    draftOf: (stored) => stored,
    request: ({ kind, name, address }) => ({
      kind,
      name: name.trim(),
      address: address.trim(),
      ...(shared ? { shared } : {}),
    }),
    save: add,
    onSaved: ({ contact_method, message, signing_secret }) => {
      if (signing_secret) return;
      const link = 'Open the link that was mailed to it: it is paged from then on.';
      toast({ kind: 'success', title: message || (contact_method?.verified === false ? link : 'Added.') });
      onClose();
    },
  });
  const kind = kinds.find(({ value }) => value === edit.draft.kind) ?? kinds[0];
  const secret = add.data?.signing_secret;
  if (secret) {
    return (
      <Dialog title="Copy the signing secret now" saving={false} onClose={onClose}>
        <div className={dialogKit.body}>
          <p className="text-2">
            It signs each message (Standard Webhooks), so that the receiver knows who sent it. Nightbell
            cannot show it again.
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
  return (
    <Dialog
      title={shared ? 'Add shared channel' : 'Add contact method'}
      saving={edit.pending}
      onClose={onClose}
    >
      <DraftForm of={edit}>
        <DraftProblem of={edit} />
        <SelectField
          label="Kind"
          options={kinds}
          {...edit.text('kind')}
          onChange={(event) => edit.set({ kind: event.target.value, address: '' })}
        />
        <TextField
          label="Name"
          required
          maxLength={100}
          placeholder={shared ? 'Ops room' : 'Phone'}
          {...edit.text('name')}
        />
        <TextField
          key={kind.value}
          label={kind.label}
          type={kind.type}
          required
          maxLength={2000}
          placeholder={kind.sample}
          {...edit.text('address')}
        />
        <Submit size="lg" pending={add.isPending} doing="Adding...">
          {shared ? 'Add shared channel' : 'Add contact method'}
        </Submit>
        <p className={dialogKit.note}>
          {shared
            ? 'It is paged by the escalation policies that name it.'
            : 'You are told by it at once of everything. Change that under "When you are told".'}
        </p>
      </DraftForm>
    </Dialog>
  );
}
