import { PageHead } from '~/components/layout/page-head';
import * as cardKit from '~/components/ui/card.module.css';
import { Empty } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { policyList } from '~/data/policies';
import { teamList } from '~/data/teams';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { ScheduleEditor } from '~/features/oncall/components/schedule-editor';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [client.query(teamList), client.query(policyList)]);
}

/** A new schedule. */
export default function OnCallScheduleNew() {
  return (
    <>
      <PageHead title="Create schedule" />
      <OncallNav />
      {mayAct('admin') ? (
        <ScheduleEditor schedule={null} />
      ) : (
        <div className={cardKit.card}>
          <Empty>Only admins create schedules. Ask one of yours.</Empty>
        </div>
      )}
    </>
  );
}
