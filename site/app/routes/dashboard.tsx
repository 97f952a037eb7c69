import { useState } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { Button } from '~/components/ui/button';
import { prefetch } from '~/data/cache';
import { incidentCounts, incidentList, incidentMetrics } from '~/data/incidents';
import { serviceList } from '~/data/services';
import { CreateIncidentDialog } from '~/features/incidents/components/create-incident';
import { IncidentBoard } from '~/features/incidents/components/incident-board';
import { MetricCards } from '~/features/incidents/components/metric-cards';
import { NeedsAPerson } from '~/features/incidents/components/needs-a-person';
import { ServiceStatusGrid } from '~/features/services/components/service-status-grid';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [
    client.infiniteQuery(incidentList({ status: 'open' })),
    client.query(incidentCounts),
    client.query(incidentMetrics),
    client.query(serviceList),
  ]);
}

/** Is anybody needed, how the week goes, how the services are, and which incidents there are. */
export default function Dashboard() {
  const [creating, setCreating] = useState(false);
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
        <NeedsAPerson />
      </Boundary>
      <Boundary what="The figures">
        <MetricCards />
      </Boundary>
      <div className="stack">
        <Boundary what="The services">
          <ServiceStatusGrid />
        </Boundary>
        <Boundary what="The incidents">
          <IncidentBoard />
        </Boundary>
      </div>
      {creating && <CreateIncidentDialog onClose={() => setCreating(false)} />}
    </>
  );
}
