import type { ContactMethodJson } from '@nightbell/proto';
import { useState } from 'react';
import { Link } from 'react-router';
import { channelOf } from '~/components/channel';
import { Button, IconButton } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Icon } from '~/components/ui/icon';
import { Empty } from '~/components/ui/states';
import { useSendVerification } from '~/data/contact-methods';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { dateOf } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';
import { ContactDialog } from './contact-dialog';
import * as styles from './contact-list.module.css';
import { DeleteContact } from './delete-contact';

interface ContactListProps {
  title: string;
  contacts: readonly ContactMethodJson[];
  empty: string;
  /** Whether these are the channels that everybody shares, which admins change. */
  shared?: boolean;
  /** Those that the reader's rules leave out. */
  unused?: (contact: ContactMethodJson) => boolean;
}

/** Ways to reach somebody, with what is wrong with those that are not used. */
export function ContactList({ title, contacts, empty, shared = false, unused }: ContactListProps) {
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<ContactMethodJson | null>(null);
  const mayChange = !shared || mayAct('admin');
  return (
    <Card
      title={title}
      actions={
        mayChange && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            {shared ? 'Add shared channel' : 'Add contact method'}
          </Button>
        )
      }
    >
      {contacts.length === 0 && <Empty>{empty}</Empty>}
      <ul className={styles.contacts}>
        {contacts.map((contact) => (
          <ContactRow
            key={contact.id}
            contact={contact}
            unused={unused?.(contact) ?? false}
            onDelete={mayChange ? () => setDeleting(contact) : undefined}
          />
        ))}
      </ul>
      {!shared && contacts.length > 0 && (
        <p className="text-3 size-12">
          <Link className="link" to={`${paths.settings}#contacts`}>
            Send yourself a test page
          </Link>
          : it says that it is one, and wakes nobody else.
        </p>
      )}
      {adding && <ContactDialog shared={shared} onClose={() => setAdding(false)} />}
      {deleting && (
        <DeleteContact
          contact={deleting}
          last={!shared && contacts.length === 1}
          onClose={() => setDeleting(null)}
        />
      )}
    </Card>
  );
}

interface ContactRowProps {
  contact: ContactMethodJson;
  unused: boolean;
  onDelete: (() => void) | undefined;
}

function ContactRow({ contact, unused, onDelete }: ContactRowProps) {
  const unverified = !contact.disabled_reason && contact.verified === false;
  return (
    <li>
      <Icon name={channelOf(contact.kind).icon} />
      <div className="grow">
        <p>{contact.name}</p>
        <Trouble contact={contact} />
        {unused && <p className={styles.trouble}>No rule names it, so it is not paged.</p>}
      </div>
      <span className="mono text-3 size-12">{contact.hint}</span>
      {unverified && onDelete && <SendAgain contact={contact} />}
      {onDelete && <IconButton icon="trash" label={`Delete ${contact.name}`} onClick={onDelete} />}
    </li>
  );
}

/** Why it is not paged now; nothing while it works. */
function Trouble({ contact }: { contact: ContactMethodJson }) {
  if (contact.disabled_reason) return <p className={styles.trouble}>Not used: {contact.disabled_reason}</p>;
  if (contact.verified === false)
    return (
      <p className={styles.trouble}>
        Not verified yet, so it is not paged. Open the link that was mailed to it.
      </p>
    );
  if (!contact.failing_reason) return null;
  const since = contact.failing_since_at ? ` since ${fullTime(dateOf(contact.failing_since_at))}` : '';
  return (
    <p className={styles.trouble}>
      Failing{since}: {contact.failing_reason}
    </p>
  );
}

function SendAgain({ contact: { id = '', name } }: { contact: ContactMethodJson }) {
  const send = useSendVerification();
  return (
    <Button
      size="sm"
      aria-label={`Send the link to ${name} again`}
      disabled={send.isPending || send.isSuccess}
      labels={['Send again', 'Sending...']}
      onClick={() => send.mutate(id)}
    >
      {send.isPending ? 'Sending...' : send.isSuccess ? 'Sent' : 'Send again'}
    </Button>
  );
}
