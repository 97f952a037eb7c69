import { useQuery } from '@tanstack/react-query';
import { PageHead } from '~/components/layout/page-head';
import { BoneCard } from '~/components/ui/skeleton';
import { FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { contactMethods } from '~/data/contact-methods';
import { notificationRules } from '~/data/notification-rules';
import { ContactList } from '~/features/contacts/components/contact-list';
import * as styles from '~/features/contacts/components/contact-list.module.css';
import { RuleCard } from '~/features/contacts/components/rule-card';
import { isUnused } from '~/features/contacts/model/rules';
import { OncallNav } from '~/features/oncall/components/oncall-nav';

export function clientLoader() {
  return prefetch((client) => [client.query(contactMethods), client.query(notificationRules)]);
}

/** How the reader is reached, and the channels everybody shares. */
export default function OnCallContacts() {
  const contacts = useQuery(contactMethods);
  const rules = useQuery(notificationRules);
  const own = (contacts.data ?? []).filter((contact) => !contact.shared);
  return (
    <>
      <PageHead title="My contact methods" />
      <OncallNav />
      {contacts.isPending && (
        <Loading what="contact methods">
          <div className={styles.contactColumns}>
            <BoneCard title="How you are reached" count={2} />
            <BoneCard title="Shared channels" count={2} />
          </div>
        </Loading>
      )}
      <FetchFailed of={contacts} card>
        Failed to load contact methods
      </FetchFailed>
      {contacts.data && (
        <div className={styles.contactColumns}>
          <div className={styles.stack}>
            <ContactList
              title="How you are reached"
              contacts={own}
              empty="Nothing reaches you. Add a contact method, so that you can be paged."
              unused={(contact) => isUnused(contact, rules.data ?? [])}
            />
            <RuleCard own={own} />
          </div>
          <ContactList
            title="Shared channels"
            contacts={contacts.data.filter((contact) => contact.shared)}
            empty="No shared channel yet. A policy can page one beside people, so that a whole team sees it."
            shared
          />
        </div>
      )}
    </>
  );
}
