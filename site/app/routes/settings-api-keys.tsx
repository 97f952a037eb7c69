import { PageHead } from '~/components/layout/page-head';
import { Empty } from '~/components/ui/states';
import { apiKeyList } from '~/data/api-keys';
import { prefetch } from '~/data/cache';
import { ApiKeyCard } from '~/features/settings/components/api-key-card';
import { SettingsNav } from '~/features/settings/components/settings-nav';
import { isAtLeast, mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => (isAtLeast('admin') ? [client.query(apiKeyList)] : []));
}

/** The keys with which programs act for the organization. */
export default function SettingsApiKeys() {
  return (
    <>
      <PageHead title="API keys" />
      <SettingsNav />
      {mayAct('admin') ? <ApiKeyCard /> : <Empty>Only admins and owners see this. Ask one of them.</Empty>}
    </>
  );
}
