import { useQuery } from '@tanstack/react-query';
import { PageHead } from '~/components/layout/page-head';
import { ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneRows } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { policyList } from '~/data/policies';
import { PolicyTable } from '~/features/escalation/components/policy-table';
import { toPolicies } from '~/features/escalation/model/policy';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [client.query(policyList)]);
}

/** Who is paged in which order, by every policy. */
export default function OnCallPolicies() {
  const list = useQuery({ ...policyList, select: toPolicies });
  const mayWrite = mayAct('admin');
  const create = (
    <ButtonLink to={paths.newPolicy} icon="plus" look="primary">
      Create policy
    </ButtonLink>
  );
  return (
    <>
      <PageHead title="Escalation policies">{mayWrite && create}</PageHead>
      <OncallNav />
      <section className={cardKit.card} aria-label="Policies">
        {list.isPending && (
          <Loading what="policies">
            <BoneRows count={7} />
          </Loading>
        )}
        <FetchFailed of={list}>Failed to load policies</FetchFailed>
        {list.data?.length === 0 && (
          <Empty action={mayWrite && create}>
            No policy yet. Until there is one, incidents page the owners of the workspace.
          </Empty>
        )}
        {list.data && list.data.length > 0 && <PolicyTable policies={list.data} />}
      </section>
    </>
  );
}
