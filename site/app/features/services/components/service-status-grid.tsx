import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { ButtonLink } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { HealthMark } from '~/components/ui/mark';
import { usePortion } from '~/components/ui/portion';
import { Bone } from '~/components/ui/skeleton';
import * as skeletonKit from '~/components/ui/skeleton.module.css';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { serviceList } from '~/data/services';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { worstFirst } from '../model/health';
import * as styles from './service-status-grid.module.css';

const words: Record<string, string> = {
  healthy: 'Operational',
  degraded: 'Degraded performance',
  down: 'Service disruption',
};

// How many services there are is not known before they are: as many as the last time, so that nothing jumps.
const key = 'service-count';
const usual = 6;

// The open incidents come below, and are not to be scrolled to for long.
const first = 24;

// A browser without storage forgets, and draws as many as is usual.
function remember(count: number): void {
  try {
    localStorage.setItem(key, String(count));
  } catch {}
}

function lastCount(): number {
  try {
    return Number(localStorage.getItem(key)) || usual;
  } catch {
    return usual;
  }
}

/** Every service and how it is, in the dashboard's words; the worst first. */
export function ServiceStatusGrid() {
  const services = useQuery(serviceList);
  const { shown, more } = usePortion(worstFirst(services.data ?? []), { first });
  const count = services.data?.length;
  useEffect(() => {
    if (count !== undefined) remember(count);
  }, [count]);
  const expected = Math.min(lastCount(), first);
  return (
    <Card title="Services Status">
      {services.isPending && (
        <Loading what="services" quiet>
          <div className={styles.serviceStatus}>
            {Array.from({ length: expected }, (_, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
              <div key={i} className={skeletonKit.boneText}>
                <Bone width="long" />
                <Bone />
              </div>
            ))}
          </div>
        </Loading>
      )}
      <FetchFailed of={services}>Failed to load services</FetchFailed>
      {services.data?.length === 0 && (
        <Empty action={mayAct('responder') && <ButtonLink to={paths.services}>Add a service</ButtonLink>}>
          No services yet.
        </Empty>
      )}
      <ul className={styles.serviceStatus}>
        {shown.map((service) => (
          <li key={service.id}>
            <Link to={paths.service(service.id ?? '')}>
              <span className={styles.name}>{service.name}</span>
              <HealthMark value={service.health ?? 'healthy'} word={words[service.health ?? 'healthy']} />
            </Link>
          </li>
        ))}
      </ul>
      {more}
    </Card>
  );
}
