import { useQuery } from '@tanstack/react-query';
import { PageHead } from '~/components/layout/page-head';
import { ButtonLink } from '~/components/ui/button';
import { FetchFailed } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { memberList } from '~/data/members';
import { coverageProblems, scheduleList } from '~/data/schedules';
import { BoardLoading } from '~/features/oncall/components/board-loading';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { ScheduleBoard } from '~/features/oncall/components/schedule-board';
import { toSchedules } from '~/features/oncall/model/schedule';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [
    client.query(scheduleList),
    client.query(coverageProblems()),
    client.query(memberList),
  ]);
}

// The tab and the time shown are in the address, which changes at once.
export const shouldRevalidate = () => false;

/** Who is on call when: every schedule, its rotations and overrides, and a picture of the time ahead. */
export default function OnCall() {
  const schedules = useQuery({ ...scheduleList, select: toSchedules });
  return (
    <>
      <PageHead title="On-call schedules">
        {mayAct('admin') && (
          <ButtonLink to={paths.newSchedule} look="primary" icon="plus">
            Create Schedule
          </ButtonLink>
        )}
      </PageHead>
      <OncallNav />
      {schedules.isPending && <BoardLoading />}
      <FetchFailed of={schedules} card>
        Failed to load schedules
      </FetchFailed>
      {schedules.data && <ScheduleBoard schedules={schedules.data} />}
    </>
  );
}
