import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { PageHead } from '~/components/layout/page-head';
import { Card } from '~/components/ui/card';
import { Icon } from '~/components/ui/icon';
import { Empty, Failed, Loading } from '~/components/ui/states';
import { incidentList } from '~/features/incidents/api/list-incidents';
import { OpenIncidents } from '~/features/incidents/components/open-incidents';
import { serviceDetail } from '~/features/services/api/services';
import { ServiceConfiguration, ServiceWebhook } from '~/features/services/components/service-facts';
import { paths } from '~/lib/paths';
import '~/features/services/services.css';
import '~/features/incidents/incident-list.css';
import '~/features/incidents/incident-page.css';

export function meta() {
  return [{ title: 'Service - Nightbell' }];
}

/** One service: what is wrong with it now, and how alerts reach it. */
export default function Service() {
  const { id = '' } = useParams();
  const service = useQuery(serviceDetail(id));
  const incidents = useQuery(incidentList).data?.filter(
    (incident) => incident.serviceId === id && incident.status !== 'resolved',
  );
  return (
    <>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to={paths.services}>Services</Link>
        <Icon name="chevron-right" />
        <span aria-current="page">{service.data?.name}</span>
      </nav>
      {service.isPending && <Loading what="service" />}
      {service.isError && !service.data && (
        <Failed onRetry={() => service.refetch()}>{service.error.message}</Failed>
      )}
      {service.data && (
        <>
          <PageHead title={service.data.name ?? ''} />
          <div className="service-columns">
            <div className="stack">
              <Card title="Active Incidents">
                {incidents?.length ? (
                  <OpenIncidents incidents={incidents} />
                ) : (
                  <Empty>No open incidents.</Empty>
                )}
              </Card>
              <ServiceWebhook service={service.data} />
            </div>
            <ServiceConfiguration service={service.data} />
          </div>
        </>
      )}
    </>
  );
}
