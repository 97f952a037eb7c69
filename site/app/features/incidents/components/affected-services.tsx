import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Card } from '~/components/ui/card';
import { HealthMark } from '~/components/ui/mark';
import { Empty } from '~/components/ui/states';
import { serviceList } from '~/data/services';
import { paths } from '~/lib/paths';
import type { Incident } from '../model/incident';
import { toServiceStates } from '../model/service-state';
import * as styles from './side-list.module.css';

/** The service the incident is about, and how it is now. */
export function AffectedServices({ incident }: { incident: Incident }) {
  const service = useQuery({ ...serviceList, select: toServiceStates }).data?.find(
    (one) => one.id === incident.serviceId,
  );
  return (
    <Card title="Affected Services">
      {incident.serviceName === '' ? (
        <Empty>This incident names no service.</Empty>
      ) : (
        <ul className={styles.sideList}>
          <li>
            <Link className="grow" to={paths.service(incident.serviceId)}>
              {service ? (
                <HealthMark value={service.health} word={incident.serviceName} />
              ) : (
                incident.serviceName
              )}
            </Link>
            {service && service.tier > 0 && <span className={styles.aside}>Tier {service.tier}</span>}
          </li>
        </ul>
      )}
    </Card>
  );
}
