import { BoneCard } from '~/components/ui/skeleton';
import { Loading } from '~/components/ui/states';
import * as styles from './service-facts.module.css';
import { ServiceStatusLoading } from './service-status';

/** The page of a service before anything is known of it. */
export function ServiceLoading() {
  return (
    <Loading what="service">
      <ServiceStatusLoading />
      <div className={styles.serviceColumns}>
        <div className="stack">
          <BoneCard title="Active Incidents" count={1} />
          <BoneCard title="Send alerts here" count={3} />
          <BoneCard title="Recent Activity" count={4} />
        </div>
        <BoneCard title="Configuration" count={5} />
      </div>
    </Loading>
  );
}
