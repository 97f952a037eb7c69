import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { FetchFailed } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { incidentList } from '~/data/incidents';
import { serviceActivity, serviceDetail, serviceList, serviceSamples } from '~/data/services';
import { ActiveIncidents } from '~/features/incidents/components/active-incidents';
import { CreateIncidentDialog } from '~/features/incidents/components/create-incident';
import { isMissing, NoService } from '~/features/services/components/no-service';
import { RecentActivity } from '~/features/services/components/recent-activity';
import { ServiceActions } from '~/features/services/components/service-actions';
import { ServiceDependencies } from '~/features/services/components/service-dependencies';
import { ServiceConfiguration } from '~/features/services/components/service-facts';
import * as styles from '~/features/services/components/service-facts.module.css';
import { ServiceLoading } from '~/features/services/components/service-loading';
import { BusinessMetrics, type Range, ServiceStatus } from '~/features/services/components/service-status';
import { ServiceWebhook } from '~/features/services/components/service-webhook';
import { paths } from '~/lib/paths';
import type { Route } from './+types/service';

export function clientLoader({ params: { id } }: Route.ClientLoaderArgs) {
  return prefetch((client) => [
    client.query(serviceDetail(id)),
    client.query(serviceList),
    client.query(serviceSamples(id, Number(firstRange))),
    client.infiniteQuery(serviceActivity(id)),
    client.infiniteQuery(incidentList({ status: 'open', serviceId: id })),
  ]);
}

const firstRange: Range = '6';

/** One service: how it is, what is wrong with it now, what happened, and how alerts reach it. */
export default function Service({ params: { id } }: Route.ComponentProps) {
  // Nothing of one service may stand on the page of the next: no key, dialog or press.
  return <Page key={id} id={id} />;
}

function Page({ id }: { id: string }) {
  const service = useQuery(serviceDetail(id));
  const [range, setRange] = useState<Range>(firstRange);
  const [creating, setCreating] = useState(false);
  const name = service.data?.name || (isMissing(service.error) ? 'No such service' : 'Service');
  return (
    <>
      <Crumb to={paths.services} parent="Services" here={name} />
      <PageHead title={name}>
        {service.data && <ServiceActions service={service.data} onCreateIncident={() => setCreating(true)} />}
      </PageHead>
      {creating && <CreateIncidentDialog about={{ id, name }} onClose={() => setCreating(false)} />}
      {service.isPending && <ServiceLoading />}
      {isMissing(service.error) ? (
        <NoService />
      ) : (
        <FetchFailed of={service} card>
          Failed to load service
        </FetchFailed>
      )}
      {service.data && (
        <>
          <Boundary what="The status">
            <ServiceStatus service={service.data} range={range} onRange={setRange} />
          </Boundary>
          <div className={styles.serviceColumns}>
            <div className="stack">
              <Boundary what="The incidents">
                <ActiveIncidents serviceId={id} openCount={service.data.open_incident_count ?? 0} />
              </Boundary>
              <Boundary what="The address for alerts">
                <ServiceWebhook service={service.data} />
              </Boundary>
              <Boundary what="The activity">
                <RecentActivity serviceId={id} />
              </Boundary>
            </div>
            <div className="stack">
              <Boundary what="The configuration">
                <ServiceConfiguration service={service.data} />
              </Boundary>
              <ServiceDependencies service={service.data} />
              <Boundary what="The metrics">
                <BusinessMetrics service={service.data} range={range} />
              </Boundary>
            </div>
          </div>
        </>
      )}
    </>
  );
}
