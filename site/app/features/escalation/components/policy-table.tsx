import { Link } from 'react-router';
import { Badge } from '~/components/ui/badge';
import { type Column, DataTable } from '~/components/ui/data-table';
import * as tableKit from '~/components/ui/table.module.css';
import { paths } from '~/lib/paths';
import type { Policy } from '../model/policy';
import * as styles from './policy-table.module.css';
import { StepPicture } from './step-picture';

const columns: Column<Policy>[] = [
  {
    head: 'Name',
    cell: ({ id, name, isDefault, description }) => (
      <>
        <div className="row">
          <Link className={tableKit.title} to={paths.policy(id)}>
            {name}
          </Link>
          {isDefault && <Badge>Default</Badge>}
        </div>
        {description && <p className={`size-12 text-3 ${styles.description}`}>{description}</p>}
      </>
    ),
  },
  { head: 'Steps', cell: (policy) => <StepPicture policy={policy} /> },
  { head: 'Used by', className: `${styles.usedBy} text-2`, cell: usersOf },
];

/** The policies with their steps as small pictures. */
export function PolicyTable({ policies }: { policies: readonly Policy[] }) {
  return (
    <DataTable
      label="Escalation policies"
      className={styles.policyTable}
      rows={policies}
      keyOf={({ id }) => id}
      columns={columns}
      filter={{
        label: 'Search name, target or service',
        none: 'No policy with these words.',
        words: ({ name, description, usedBy, steps }) => [
          name,
          description,
          ...usedBy,
          ...steps.flatMap((step) => step.targets.map((target) => target.name)),
        ],
      }}
    />
  );
}

function usersOf(policy: Policy): string {
  // More names hide the count, which is what matters then.
  const names = policy.usedBy.slice(0, 3);
  const others = policy.usedBy.length - names.length;
  if (others > 0) names.push(`${others} more`);
  if (policy.isDefault)
    names.push(names.length > 0 ? 'services without a policy' : 'Services without a policy');
  return names.join(', ') || 'Nothing yet';
}
