import { PageHead } from '~/components/layout/page-head';
import { sessionList } from '~/data/account';
import { prefetch } from '~/data/cache';
import { PasswordCard } from '~/features/settings/components/password-card';
import { SessionCard } from '~/features/settings/components/session-card';
import * as styles from '~/features/settings/components/settings.module.css';
import { SettingsNav } from '~/features/settings/components/settings-nav';

export function clientLoader() {
  return prefetch((client) => [client.query(sessionList)]);
}

/** Where the account is signed in, and its password. */
export default function SettingsSessions() {
  return (
    <>
      <PageHead title="Password and devices" />
      <SettingsNav />
      <div className={styles.settings}>
        <PasswordCard />
        <SessionCard />
      </div>
    </>
  );
}
