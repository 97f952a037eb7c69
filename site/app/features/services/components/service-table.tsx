import type { ServiceJson } from '@nightbell/proto';
import { useDeferredValue, useState } from 'react';
import { Link } from 'react-router';
import { FilterField } from '~/components/ui/filter-field';
import { HealthMark } from '~/components/ui/mark';
import { usePortion } from '~/components/ui/portion';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { useNow } from '~/lib/clock';
import { relativeTime } from '~/lib/format';
import { paths } from '~/lib/paths';
import { worstFirst } from '../model/health';
import * as styles from './service-table.module.css';

/** The services with their health, counted from open incidents; the worst first. Typing narrows by name or owner. */
export function ServiceTable({ services }: { services: readonly ServiceJson[] }) {
  const now = useNow(30_000);
  const [text, setText] = useState('');
  const found = worstFirst(matching(services, useDeferredValue(text)));
  const { shown, more } = usePortion(found);
  return (
    <>
      <FilterField
        label="Search name or owner"
        text={text}
        onChange={setText}
        shown={found.length}
        total={services.length}
      />
      {found.length === 0 && <Empty>No service with these words.</Empty>}
      {found.length > 0 && (
        <table className={`${tableKit.table} ${styles.serviceTable}`}>
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
            {shown.map((service) => (
              <tr key={service.id}>
                <td>
                  <Link className={styles.title} to={paths.service(service.id ?? '')}>
                    {service.name}
                  </Link>
                </td>
                <td className="text-2">{service.team?.name || service.owner?.name}</td>
                <td>
                  <HealthMark value={service.health ?? 'healthy'} />
                </td>
                <td className={styles.openCount} data-health={service.health}>
                  {service.open_incident_count ?? 0}
                </td>
                <td className="text-2">
                  {service.last_incident_at ? relativeTime(new Date(service.last_incident_at), now) : 'Never'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more}
    </>
  );
}

function matching(services: readonly ServiceJson[], text: string): readonly ServiceJson[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return services;
  return services.filter(({ name, team, owner }) =>
    [name, team?.name, owner?.name].some((word) => word?.toLowerCase().includes(wanted)),
  );
}
