import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { Button, ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Empty, FetchFailed } from '~/components/ui/states';
import { policyDetail, useMakeDefaultPolicy } from '~/data/policies';
import { DeletePolicyDialog } from '~/features/escalation/components/delete-policy-dialog';
import { PolicyEditor } from '~/features/escalation/components/policy-editor';
import { PolicyFacts } from '~/features/escalation/components/policy-facts';
import { PolicyLoading } from '~/features/escalation/components/policy-loading';
import { type Policy, toPolicy } from '~/features/escalation/model/policy';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { PolicyUsers } from '~/features/services/components/policy-users';
import { ApiError, reasonOf } from '~/lib/api';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { toast } from '~/lib/toast';

/** One policy: written by admins, read by everybody. */
export default function OnCallPolicy() {
  const { id = '' } = useParams();
  const policy = useQuery({ ...policyDetail(id), select: toPolicy });
  const name = policy.data?.name || 'Escalation policy';
  const missing = policy.error instanceof ApiError && [400, 404].includes(policy.error.status);
  return (
    <>
      <title>{`${name} - Nightbell`}</title>
      <Crumb to={paths.policies} parent="Escalation policies" here={name} />
      {policy.data && (
        <FetchFailed of={policy} card>
          Failed to load policy
        </FetchFailed>
      )}
      {policy.data ? (
        <Page policy={policy.data} />
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
        <PolicyEditor key={policy.id} policy={policy} aside={users} />
      ) : (
        <PolicyFacts policy={policy} aside={users} />
      )}
      {deleting && <DeletePolicyDialog policy={policy} onClose={() => setDeleting(false)} />}
    </>
  );
}

function MakeDefault({ policy }: { policy: Policy }) {
  const makeDefault = useMakeDefaultPolicy();
  const change = () =>
    makeDefault.mutate(policy.id, {
      onSuccess: () => toast({ kind: 'success', title: `${policy.name} is the default now` }),
      onError: (error) => toast({ kind: 'failure', title: error.message, detail: reasonOf(error) }),
    });
  return (
    <Button disabled={makeDefault.isPending} onClick={change}>
      Make default
    </Button>
  );
}
