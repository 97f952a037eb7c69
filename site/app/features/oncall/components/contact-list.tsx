import type { ContactMethodJson } from '@nightbell/proto';
import { Card } from '~/components/ui/card';
import { Icon, type IconName } from '~/components/ui/icon';
import { Empty } from '~/components/ui/states';

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
      <ul className="contacts">
        {contacts.map((contact) => (
          <li key={contact.id}>
            <Icon name={icons[contact.kind ?? ''] ?? 'push'} />
            <span className="grow">
              <span>{contact.name}</span>
              {contact.disabled_reason && (
                <span className="size-12 text-2">Not used: {contact.disabled_reason}</span>
              )}
              {!contact.disabled_reason && contact.failing_reason && (
                <span className="size-12 text-2">Does not work: {contact.failing_reason}</span>
              )}
            </span>
            <span className="mono text-3 size-12">{contact.hint}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
