import { PageHead } from '~/components/layout/page-head';
import { Empty } from '~/components/ui/states';
import { auditLog, shownFirst } from '~/data/audit';
import { prefetch } from '~/data/cache';
import { AuditCard } from '~/features/settings/components/audit-card';
import { SettingsNav } from '~/features/settings/components/settings-nav';
import { isAtLeast, mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => (isAtLeast('admin') ? [client.infiniteQuery(auditLog(shownFirst))] : []));
}

/** Who changed what in the organization. */
export default function SettingsAudit() {
  return (
    <>
      <PageHead title="Audit log" />
      <SettingsNav />
      {mayAct('admin') ? <AuditCard /> : <Empty>Only admins and owners see this. Ask one of them.</Empty>}
    </>
  );
}
