import { useInfiniteQuery } from '@tanstack/react-query';
import { Card } from '~/components/ui/card';
import { BoneRows } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { incidentList } from '~/data/incidents';
import { toRows } from '../model/incident';
import { OpenIncidents } from './open-incidents';

interface ActiveIncidentsProps {
  serviceId: string;
  /** How many say how the service is: its own, and those of others that took in one of its. */
  openCount: number;
}

/** The open incidents of a service. */
export function ActiveIncidents({ serviceId, openCount }: ActiveIncidentsProps) {
  const list = useInfiniteQuery({ ...incidentList({ status: 'open', serviceId }), select: toRows });
  // A row that was resolved here changes before the list is asked for again.
  const open = list.data?.filter(({ status }) => status !== 'resolved');
  return (
    <Card title="Active Incidents">
      {list.isPending && (
        <Loading what="incidents" quiet>
          <BoneRows count={1} />
        </Loading>
      )}
      <FetchFailed of={list}>Failed to load incidents</FetchFailed>
      {open?.length === 0 && (
        <Empty>
          {openCount === 0
            ? 'No open incidents.'
            : 'None of its own. One was merged into an incident of another service, and goes on there.'}
        </Empty>
      )}
      {open && <OpenIncidents incidents={open} source={list} />}
    </Card>
  );
}
