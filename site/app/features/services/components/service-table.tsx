import type { ServiceJson } from '@nightbell/proto';
import { Link } from 'react-router';
import { HealthMark } from '~/components/ui/mark';
import { useNow } from '~/lib/clock';
import { relativeTime } from '~/lib/format';
import { paths } from '~/lib/paths';

/** The services with their health, counted from open incidents. */
export function ServiceTable({ services }: { services: readonly ServiceJson[] }) {
  const now = useNow(30_000);
  return (
    <table className="table service-table">
      <thead>
        <tr>
          {['Service Name', 'Owner', 'Health', 'Incidents', 'Last Incident'].map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {services.map((service) => (
          <tr key={service.id}>
            <td>
              <Link className="title" to={paths.service(service.id ?? '')}>
                {service.name}
              </Link>
            </td>
            <td className="text-2">{service.team?.name || service.owner?.name}</td>
            <td>
              <HealthMark value={service.health ?? 'healthy'} />
            </td>
            <td className={`open-count ${service.health}`}>{service.open_incident_count ?? 0}</td>
            <td className="text-2">
              {service.last_incident_at ? relativeTime(new Date(service.last_incident_at), now) : 'Never'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
