import * as cardKit from '~/components/ui/card.module.css';
import { BoneRows } from '~/components/ui/skeleton';
import { Loading } from '~/components/ui/states';
import * as styles from './analytics-loading.module.css';

/** The page's frame while its figures are on their way. */
export function AnalyticsLoading() {
  return (
    <div className={`${cardKit.card} ${styles.waiting}`}>
      <Loading what="analytics">
        <BoneRows count={12} />
      </Loading>
    </div>
  );
}
