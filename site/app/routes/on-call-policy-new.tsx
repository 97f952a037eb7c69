import { useState } from 'react';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { prefetch } from '~/data/cache';
import { contactMethods } from '~/data/contact-methods';
import { onCallNow, scheduleList } from '~/data/schedules';
import { teamList } from '~/data/teams';
import { PolicyEditor } from '~/features/escalation/components/policy-editor';
import { emptyPolicy } from '~/features/escalation/model/policy';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { paths } from '~/lib/paths';
import { readersZone } from '~/lib/time/zone';

export function clientLoader() {
  return prefetch((client) => [
    client.query(scheduleList),
    client.query(teamList),
    client.query(contactMethods),
    client.query(onCallNow),
  ]);
}

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
