import { useQuery } from '@tanstack/react-query';
import { PageHead } from '~/components/layout/page-head';
import { BoneCard } from '~/components/ui/skeleton';
import { FetchFailed, Loading } from '~/components/ui/states';
import { contactMethods } from '~/data/contact-methods';
import { ContactList } from '~/features/oncall/components/contact-list';
import * as styles from '~/features/oncall/components/contact-list.module.css';
import { OncallNav } from '~/features/oncall/components/oncall-nav';

/** How the reader is reached, and the channels everybody shares. */
export default function OnCallContacts() {
  const contacts = useQuery(contactMethods);
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
          <ContactList
            title="How you are reached"
            contacts={contacts.data.filter((contact) => !contact.shared)}
            empty="By the e-mail address of your account."
          />
          <ContactList
            title="Shared channels"
            contacts={contacts.data.filter((contact) => contact.shared)}
            empty="No shared channel yet."
          />
        </div>
      )}
    </>
  );
}
