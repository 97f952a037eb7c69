import { PageHead } from '~/components/layout/page-head';
import { Empty } from '~/components/ui/states';
import { AuditCard } from '~/features/settings/components/audit-card';
import { SettingsNav } from '~/features/settings/components/settings-nav';
import { mayAct } from '~/lib/role';

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
