import { BoneCard } from '~/components/ui/skeleton';
import { Loading } from '~/components/ui/states';
import * as styles from './policy-editor.module.css';

/** The page of a policy before the policy is known. */
export function PolicyLoading() {
  return (
    <Loading what="policy">
      <div className={styles.policyColumns}>
        <div className="stack">
          <BoneCard title="Policy" count={3} />
          <BoneCard title="Step 1" count={4} />
          <BoneCard title="Step 2" count={4} />
        </div>
        <div className={`stack ${styles.beside}`}>
          <BoneCard title="In words" count={2} />
          <BoneCard title="Coverage" count={5} />
        </div>
      </div>
    </Loading>
  );
}
