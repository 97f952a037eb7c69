import { Button, IconButton } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { SelectField } from '~/components/ui/field';
import * as fieldKit from '~/components/ui/field.module.css';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { choiceOf, targetOf } from '../model/choices';
import type { Faults } from '../model/edit';
import { emptyQuiet, type LastResort, limits, type Policy, type Quiet } from '../model/policy';
import { ConditionFields } from './condition-fields';
import * as styles from './step-editor.module.css';

const lastResorts: readonly { value: LastResort; word: string }[] = [
  { value: 'owners', word: 'Pages the owners of the workspace' },
  { value: 'target', word: 'Pages somebody else' },
  { value: 'nobody', word: 'Pages nobody' },
];

/** Who is paged once when nobody answered. */
export function LastResortField({
  policy,
  choices,
  error,
  onChange,
}: {
  policy: Policy;
  choices: readonly Choice[];
  error?: string;
  onChange: (policy: Policy) => void;
}) {
  const target = policy.lastResortTarget && choiceOf(policy.lastResortTarget);
  return (
    <div className="stack">
      <SelectField
        label="Last resort, when nobody has answered"
        options={lastResorts}
        value={policy.lastResort}
        onChange={(event) => onChange({ ...policy, lastResort: event.target.value as LastResort })}
      />
      {policy.lastResort === 'target' && (
        <SearchSelect
          label="The last resort pages"
          placeholder={target ? 'Choose another' : 'Schedule, team, person or channel'}
          choices={choices}
          chosen={target ? [target] : []}
          onChange={(chosen) => {
            const last = chosen.at(-1);
            onChange({ ...policy, lastResortTarget: last ? targetOf(last) : null });
          }}
          error={error}
        />
      )}
    </div>
  );
}

/** For which severities and hours the policy pages nobody, not even the last resort. */
export function QuietCard({
  policy,
  faults,
  onChange,
}: {
  policy: Policy;
  faults: Faults;
  onChange: (policy: Policy) => void;
}) {
  const write = (quiet: readonly Quiet[]) => onChange({ ...policy, quiet });
  return (
    <Card title="When nobody is paged" className={styles.quiet}>
      {policy.quiet.map((rule, i) => (
        <div key={rule.key} className={`${cardKit.pad} stack`}>
          <ConditionFields
            of={`quiet time ${i + 1}`}
            value={rule}
            onChange={(fields) => write(policy.quiet.with(i, { ...rule, ...fields }))}
          />
          <IconButton
            icon="trash"
            label={`Remove quiet time ${i + 1}`}
            onClick={() => write(policy.quiet.filter(({ key }) => key !== rule.key))}
          />
          {faults[rule.key] && (
            <p className={fieldKit.fieldError} role="alert">
              {faults[rule.key]}
            </p>
          )}
        </div>
      ))}
      <div className={`${cardKit.pad} stack`}>
        <p className="size-12 text-2">
          Incidents of these severities and hours are opened and listed, but page nobody, not even the last
          resort. When the severity rises, paging begins.
        </p>
        {policy.quiet.length < limits.quiet && (
          <div>
            <Button size="sm" icon="plus" onClick={() => write([...policy.quiet, emptyQuiet()])}>
              Add quiet time
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
