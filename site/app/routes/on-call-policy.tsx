import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { Button, ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Empty, FetchFailed } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { contactMethods } from '~/data/contact-methods';
import { policyDetail } from '~/data/policies';
import { onCallNow, scheduleList } from '~/data/schedules';
import { serviceList } from '~/data/services';
import { teamList } from '~/data/teams';
import { DeletePolicyDialog } from '~/features/escalation/components/delete-policy-dialog';
import { MakeDefault } from '~/features/escalation/components/make-default';
import { PolicyEditor } from '~/features/escalation/components/policy-editor';
import { PolicyFacts } from '~/features/escalation/components/policy-facts';
import { PolicyLoading } from '~/features/escalation/components/policy-loading';
import { type Policy, toPolicy } from '~/features/escalation/model/policy';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { PolicyUsers } from '~/features/services/components/policy-users';
import { ApiError } from '~/lib/api';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import type { Route } from './+types/on-call-policy';

export function clientLoader({ params: { id } }: Route.ClientLoaderArgs) {
  return prefetch((client) => [
    client.query(policyDetail(id)),
    client.query(serviceList),
    client.query(scheduleList),
    client.query(teamList),
    client.query(contactMethods),
    client.query(onCallNow),
  ]);
}

/** One policy: written by admins, read by everybody. */
export default function OnCallPolicy({ params: { id } }: Route.ComponentProps) {
  const policy = useQuery({ ...policyDetail(id), select: toPolicy });
  const name = policy.data?.name || 'Escalation policy';
  const missing = policy.error instanceof ApiError && [400, 404].includes(policy.error.status);
  return (
    <>
      <Crumb to={paths.policies} parent="Escalation policies" here={name} />
      {policy.data && (
        <FetchFailed of={policy} card>
          Failed to load policy
        </FetchFailed>
      )}
      {policy.data ? (
        <Page key={id} policy={policy.data} />
      ) : (
        <>
          <PageHead title={name} />
          <OncallNav />
        </>
      )}
      {policy.isPending && <PolicyLoading />}
      {policy.isError && !policy.data && (
        <div className={cardKit.card}>
          {missing ? (
            <Empty action={<ButtonLink to={paths.policies}>All policies</ButtonLink>}>
              {policy.error.message}
            </Empty>
          ) : (
            <FetchFailed of={policy}>Failed to load policy</FetchFailed>
          )}
        </div>
      )}
    </>
  );
}

function Page({ policy }: { policy: Policy }) {
  const mayWrite = mayAct('admin');
  const [deleting, setDeleting] = useState(false);
  const users = <PolicyUsers policyId={policy.id} isDefault={policy.isDefault} />;
  return (
    <>
      <PageHead title={policy.name}>
        {mayWrite && !policy.isDefault && <MakeDefault policy={policy} />}
        {mayWrite && (
          <Button look="danger" icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )}
      </PageHead>
      <OncallNav />
      {mayWrite ? (
        <PolicyEditor policy={policy} aside={users} />
      ) : (
        <PolicyFacts policy={policy} aside={users} />
      )}
      {deleting && mayWrite && <DeletePolicyDialog policy={policy} onClose={() => setDeleting(false)} />}
    </>
  );
}
