import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { Icon } from '~/components/ui/icon';
import { BoneRows } from '~/components/ui/skeleton';
import { FetchFailed, Loading } from '~/components/ui/states';
import { serviceList } from '~/data/services';
import { paths } from '~/lib/paths';
import * as styles from './policy-users.module.css';

// Enough to find one; the services page has them all.
const most = 8;

/** The services that page by a policy, each with the question who would be paged for it. */
export function PolicyUsers({ policyId, isDefault }: { policyId: string; isDefault: boolean }) {
  const services = useQuery(serviceList);
  const users = (services.data ?? []).filter(
    (service) => service.escalation_policy_id === policyId || (isDefault && !service.escalation_policy_id),
  );
  return (
    <Card title="Used by">
      {services.isPending && (
        <Loading what="services" quiet>
          <BoneRows count={1} />
        </Loading>
      )}
      <FetchFailed of={services}>Failed to load services</FetchFailed>
      {services.data && users.length === 0 && !isDefault && (
        <p className={`${cardKit.pad} size-13 text-2`}>No service uses this policy.</p>
      )}
      <ul className={styles.policyUsers}>
        {users.slice(0, most).map((service) => (
          <li key={service.id}>
            <Link className="grow ellipsis" to={paths.service(service.id ?? '')}>
              {service.name}
            </Link>
            <Ask to={paths.explainService(service.id ?? '')} whom={service.name ?? ''} />
          </li>
        ))}
        {isDefault && (
          <li>
            <span className="grow text-2">Incidents without a service</span>
            <Ask to={paths.explain} whom="incidents without a service" />
          </li>
        )}
      </ul>
      {users.length > most && (
        <p className={`${cardKit.pad} size-12 text-3`}>and {users.length - most} more services</p>
      )}
    </Card>
  );
}

function Ask({ to, whom }: { to: string; whom: string }) {
  return (
    <Link className={styles.ask} to={to} aria-label={`Who would be paged for ${whom}?`}>
      <Icon name="question" />
      Who?
    </Link>
  );
}
