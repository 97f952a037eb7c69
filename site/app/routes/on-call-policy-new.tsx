import { useState } from 'react';
import { Link } from 'react-router';
import { PageHead } from '~/components/layout/page-head';
import { Icon } from '~/components/ui/icon';
import { PolicyEditor } from '~/features/escalation/components/policy-editor';
import { emptyPolicy } from '~/features/escalation/model/policy';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { paths } from '~/lib/paths';
import '~/features/escalation/escalation.css';

export function meta() {
  return [{ title: 'Create policy - Nightbell' }];
}

/** A policy that does not exist yet. */
export default function OnCallPolicyNew() {
  const [policy] = useState(() => emptyPolicy(new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'));
  return (
    <>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to={paths.policies}>Escalation policies</Link>
        <Icon name="chevron-right" />
        <span aria-current="page">Create policy</span>
      </nav>
      <PageHead title="Create policy" />
      <OncallNav />
      <PolicyEditor policy={policy} />
    </>
  );
}
