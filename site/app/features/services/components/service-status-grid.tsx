import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Card } from '~/components/ui/card';
import { HealthMark } from '~/components/ui/mark';
import { Empty, Failed, Loading } from '~/components/ui/states';
import { paths } from '~/lib/paths';
import { serviceList } from '../api/services';

const words: Record<string, string> = {
  healthy: 'Operational',
  degraded: 'Degraded performance',
  down: 'Service disruption',
};

/** Every service and how it is, in the dashboard's words. */
export function ServiceStatusGrid() {
  const services = useQuery(serviceList);
  return (
    <Card title="Services Status">
      {services.isPending && <Loading what="services" />}
      {services.isError && !services.data && (
        <Failed onRetry={() => services.refetch()}>{services.error.message}</Failed>
      )}
      {services.data?.length === 0 && <Empty>No services yet.</Empty>}
      <ul className="service-status">
        {services.data?.map((service) => (
          <li key={service.id}>
            <Link to={paths.service(service.id ?? '')}>
              <span className="name">{service.name}</span>
              <HealthMark value={service.health ?? 'healthy'} word={words[service.health ?? 'healthy']} />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
