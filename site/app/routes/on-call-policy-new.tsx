import { useState } from 'react';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { PolicyEditor } from '~/features/escalation/components/policy-editor';
import { emptyPolicy } from '~/features/escalation/model/policy';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { paths } from '~/lib/paths';
import { readersZone } from '~/lib/time/zone';

/** A policy that does not exist yet. */
export default function OnCallPolicyNew() {
  const [policy] = useState(() => emptyPolicy(readersZone()));
  return (
    <>
      <Crumb to={paths.policies} parent="Escalation policies" here="Create policy" />
      <PageHead title="Create policy" />
      <OncallNav />
      <PolicyEditor policy={policy} />
    </>
  );
}
