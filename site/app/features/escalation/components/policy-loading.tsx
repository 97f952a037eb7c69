import { BoneCard } from '~/components/ui/skeleton';
import { Loading } from '~/components/ui/states';

/** The page of a policy before the policy is known. */
export function PolicyLoading() {
  return (
    <Loading what="policy">
      <div className="policy-columns">
        <div className="stack">
          <BoneCard title="Policy" count={3} />
          <BoneCard title="Step 1" count={4} />
          <BoneCard title="Step 2" count={4} />
        </div>
        <div className="stack beside">
          <BoneCard title="In words" count={2} />
          <BoneCard title="Coverage" count={5} />
        </div>
      </div>
    </Loading>
  );
}
