import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { Button, ButtonLink } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { incidentCounts, incidentList } from '~/data/incidents';
import { serviceList } from '~/data/services';
import { CountCards } from '~/features/incidents/components/count-cards';
import { CreateIncidentDialog } from '~/features/incidents/components/create-incident-dialog';
import { NeedsAPerson } from '~/features/incidents/components/needs-a-person';
import { OpenIncidents } from '~/features/incidents/components/open-incidents';
import { toRows } from '~/features/incidents/model/incident';
import { ServiceStatusGrid } from '~/features/services/components/service-status-grid';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [
    client.infiniteQuery(incidentList({ status: 'open' })),
    client.query(incidentCounts),
    client.query(serviceList),
  ]);
}

/** Is anybody needed, what is open, and how the services are. */
export default function Dashboard() {
  const list = useInfiniteQuery({ ...incidentList({ status: 'open' }), select: toRows });
  const counts = useQuery(incidentCounts);
  const [creating, setCreating] = useState(false);
  // A row that was resolved here changes before the list is asked for again.
  const open = (list.data ?? []).filter((incident) => incident.status !== 'resolved');
  return (
    <>
      <PageHead title="Dashboard">
        {mayAct('responder') && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            Create Incident
          </Button>
        )}
      </PageHead>
      <Boundary what="What needs a person">
        <NeedsAPerson incidents={open} expected={list.isPending && counts.data?.triggered !== 0} />
      </Boundary>
      <Boundary what="The counts">
        <CountCards counts={counts.data ?? null} incidents={list.data && open} />
      </Boundary>
      <div className="stack">
        <Boundary what="The services">
          <ServiceStatusGrid />
        </Boundary>
        <Card
          title="Open Incidents"
          actions={
            <ButtonLink to={paths.incidents} look="quiet" size="sm">
              All incidents
            </ButtonLink>
          }
        >
          {list.isPending && <Loading what="incidents" />}
          <FetchFailed of={list}>Failed to load incidents</FetchFailed>
          {list.data && open.length === 0 && <Empty>No open incidents.</Empty>}
          <Boundary what="The open incidents">
            <OpenIncidents incidents={open} source={list} />
          </Boundary>
        </Card>
      </div>
      {creating && <CreateIncidentDialog onClose={() => setCreating(false)} />}
    </>
  );
}
