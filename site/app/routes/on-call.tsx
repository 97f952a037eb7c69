import { useQuery } from '@tanstack/react-query';
import { PageHead } from '~/components/layout/page-head';
import { Empty, Failed, Loading } from '~/components/ui/states';
import { contactMethods } from '~/features/oncall/api/contact-methods';
import { escalationPolicies } from '~/features/oncall/api/escalation-policies';
import { ContactList } from '~/features/oncall/components/contact-list';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { PolicyCard } from '~/features/oncall/components/policy-card';
import '~/features/oncall/oncall.css';

export function meta() {
  return [{ title: 'On-call - Nightbell' }];
}

/** Who is paged for what, and how the reader is reached. Rotating schedules follow. */
export default function OnCall() {
  const policies = useQuery(escalationPolicies);
  const contacts = useQuery(contactMethods).data ?? [];
  return (
    <>
      <PageHead title="On-call schedules" />
      <OncallNav />
      <p className="page-note">
        These policies decide who is paged today. Rotating schedules with handovers and overrides are not
        built yet; until they are, a policy names people and channels directly.
      </p>
      <div className="on-call-columns">
        <div className="stack">
          {policies.isPending && <Loading what="policies" />}
          {policies.isError && !policies.data && (
            <Failed onRetry={() => policies.refetch()}>{policies.error.message}</Failed>
          )}
          {policies.data?.length === 0 && (
            <Empty>No policy yet. The owners of the workspace are paged.</Empty>
          )}
          {policies.data?.map((policy) => (
            <PolicyCard key={policy.id} policy={policy} />
          ))}
        </div>
        <div className="stack">
          <ContactList
            title="How you are reached"
            contacts={contacts.filter((contact) => !contact.shared)}
            empty="By the e-mail address of your account."
          />
          <ContactList
            title="Shared channels"
            contacts={contacts.filter((contact) => contact.shared)}
            empty="No shared channel yet."
          />
        </div>
      </div>
    </>
  );
}
