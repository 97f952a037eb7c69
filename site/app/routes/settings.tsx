import { useQuery } from '@tanstack/react-query';
import { PageHead } from '~/components/layout/page-head';
import { BoneCard } from '~/components/ui/skeleton';
import { FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { contactMethods } from '~/data/contact-methods';
import { profile } from '~/data/users';
import { DataCard } from '~/features/settings/components/data-card';
import { ProfileCard } from '~/features/settings/components/profile-card';
import * as styles from '~/features/settings/components/settings.module.css';
import { SettingsNav } from '~/features/settings/components/settings-nav';
import { TestCard } from '~/features/settings/components/test-card';
import { currentSession } from '~/lib/session';

export function clientLoader() {
  return prefetch((client) => [client.query(profile(ownId())), client.query(contactMethods)]);
}

const ownId = () => currentSession()?.user.id ?? '';

/** The reader's own profile, and whether pages reach them. */
export default function Settings() {
  const user = useQuery(profile(ownId()));
  return (
    <>
      <PageHead title="Profile" />
      <SettingsNav />
      <div className={styles.settings}>
        {user.isPending && (
          <Loading what="your profile">
            <BoneCard title="Profile" count={4} />
          </Loading>
        )}
        <FetchFailed of={user} card>
          Failed to load your profile
        </FetchFailed>
        {user.data && <ProfileCard user={user.data} />}
        <TestCard />
        <DataCard />
      </div>
    </>
  );
}
