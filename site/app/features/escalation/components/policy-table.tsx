import { useDeferredValue, useState } from 'react';
import { Link } from 'react-router';
import { Badge } from '~/components/ui/badge';
import { FilterField } from '~/components/ui/filter-field';
import { usePortion } from '~/components/ui/portion';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { paths } from '~/lib/paths';
import type { Policy } from '../model/policy';
import * as styles from './policy-table.module.css';
import { StepPicture } from './step-picture';

/** The policies with their steps as small pictures. Typing narrows by name, description, target or service. */
export function PolicyTable({ policies }: { policies: readonly Policy[] }) {
  const [text, setText] = useState('');
  const found = matching(policies, useDeferredValue(text));
  const { shown, more } = usePortion(found);
  return (
    <>
      <FilterField
        label="Search name, target or service"
        text={text}
        onChange={setText}
        shown={found.length}
        total={policies.length}
      />
      {found.length === 0 && <Empty>No policy with these words.</Empty>}
      {found.length > 0 && (
        <table className={`${tableKit.table} ${styles.policyTable}`} aria-label="Escalation policies">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Steps</th>
              <th scope="col">Used by</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((policy) => (
              <PolicyRow key={policy.id} policy={policy} />
            ))}
          </tbody>
        </table>
      )}
      {more}
    </>
  );
}

function PolicyRow({ policy }: { policy: Policy }) {
  return (
    <tr>
      <td>
        <div className="row">
          <Link className={styles.title} to={paths.policy(policy.id)}>
            {policy.name}
          </Link>
          {policy.isDefault && <Badge>Default</Badge>}
        </div>
        {policy.description && <p className={`size-12 text-3 ${styles.description}`}>{policy.description}</p>}
      </td>
      <td>
        <StepPicture policy={policy} />
      </td>
      <td className={`${styles.usedBy} text-2`}>{usersOf(policy)}</td>
    </tr>
  );
}

// More than three names hide the count, which is what matters then.
const most = 3;

function usersOf(policy: Policy): string {
  const names = policy.usedBy.slice(0, most);
  const others = policy.usedBy.length - names.length;
  if (others > 0) names.push(`${others} more`);
  if (policy.isDefault)
    names.push(names.length > 0 ? 'services without a policy' : 'Services without a policy');
  return names.join(', ') || 'Nothing yet';
}

function matching(policies: readonly Policy[], text: string): readonly Policy[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return policies;
  return policies.filter(({ name, description, usedBy, steps }) => {
    const targets = steps.flatMap((step) => step.targets.map((target) => target.name));
    return [name, description, ...usedBy, ...targets].some((word) => word.toLowerCase().includes(wanted));
  });
}
