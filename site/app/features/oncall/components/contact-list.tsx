import type { ContactMethodJson } from '@nightbell/proto';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Icon, type IconName } from '~/components/ui/icon';
import { Empty } from '~/components/ui/states';
import { useSendVerification } from '~/data/contact-methods';
import { fullTime } from '~/lib/format';
import { mayAct } from '~/lib/role';
import * as styles from './contact-list.module.css';

const icons: Record<string, IconName> = {
  email: 'mail',
  slack: 'slack',
  webhook: 'webhook',
  sms: 'sms',
  voice: 'phone',
  push: 'push',
};

/** Ways to reach somebody, with what is wrong with those that are not used. */
export function ContactList({
  title,
  contacts,
  empty,
}: {
  title: string;
  contacts: readonly ContactMethodJson[];
  empty: string;
}) {
  return (
    <Card title={title}>
      {contacts.length === 0 && <Empty>{empty}</Empty>}
      <ul className={styles.contacts}>
        {contacts.map((contact) => (
          <ContactRow key={contact.id} contact={contact} />
        ))}
      </ul>
    </Card>
  );
}

function ContactRow({ contact }: { contact: ContactMethodJson }) {
  const unverified = !contact.disabled_reason && contact.verified === false;
  return (
    <li>
      <Icon name={icons[contact.kind ?? ''] ?? 'push'} />
      <div className="grow">
        <p>{contact.name}</p>
        <Trouble contact={contact} />
      </div>
      <span className="mono text-3 size-12">{contact.hint}</span>
      {unverified && (!contact.shared || mayAct('admin')) && <SendAgain contact={contact} />}
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
  const since = contact.failing_since_at ? ` since ${fullTime(new Date(contact.failing_since_at))}` : '';
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
