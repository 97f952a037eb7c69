import { useQuery } from '@tanstack/react-query';
import { PageHead } from '~/components/layout/page-head';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneCard } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { policyList } from '~/data/policies';
import { scheduleById } from '~/data/schedules';
import { teamList } from '~/data/teams';
import { DeleteSchedule } from '~/features/oncall/components/delete-schedule';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { ScheduleEditor } from '~/features/oncall/components/schedule-editor';
import * as styles from '~/features/oncall/components/schedule-editor.module.css';
import { toSchedule } from '~/features/oncall/model/schedule';
import { mayAct } from '~/lib/role';
import type { Route } from './+types/on-call-schedule';

export function clientLoader({ params: { id } }: Route.ClientLoaderArgs) {
  return prefetch((client) => [
    client.query(editedSchedule(id)),
    client.query(teamList),
    client.query(policyList),
  ]);
}

// Nothing that was read for an earlier visit is edited.
const editedSchedule = (id: string) => ({ ...scheduleById(id), gcTime: 0 });

/** One schedule, to be changed. */
export default function OnCallSchedule({ params: { id } }: Route.ComponentProps) {
  const schedule = useQuery({ ...editedSchedule(id), select: toSchedule, refetchOnMount: 'always' });
  const mayEdit = mayAct('admin');
  return (
    <>
      <PageHead title={schedule.data?.name ?? 'Edit schedule'}>
        {schedule.data && mayEdit && <DeleteSchedule key={id} schedule={schedule.data} />}
      </PageHead>
      <OncallNav />
      {schedule.data && mayEdit && <ScheduleEditor key={schedule.data.id} schedule={schedule.data} />}
      {schedule.isPending && (
        <Loading what="schedule">
          <div className={styles.editor}>
            <div className="stack">
              <BoneCard title="Schedule" count={6} />
              <BoneCard title="Layer 1" count={6} />
            </div>
            <BoneCard title="Preview" count={8} />
          </div>
        </Loading>
      )}
      <FetchFailed of={schedule} card>
        Failed to load schedule
      </FetchFailed>
      {schedule.data && !mayEdit && (
        <div className={cardKit.card}>
          <Empty>Only admins change schedules. Ask one of yours.</Empty>
        </div>
      )}
    </>
  );
}
