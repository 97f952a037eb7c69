import * as fieldKit from '~/components/ui/field.module.css';
import { SeverityMark } from '~/components/ui/mark';
import { capitalised } from '~/lib/words';
import { type Hours, severities } from '../model/policy';
import { HoursEditor } from './hours-editor';
import * as styles from './step-editor.module.css';

interface Condition {
  /** All when empty. */
  severities: readonly string[];
  /** Always when empty. */
  hours: readonly Hours[];
}

/** For which severities and hours something applies. */
export function ConditionFields({
  of,
  value,
  onChange,
}: {
  /** What they belong to, for the legends: "step 2". */
  of: string;
  value: Condition;
  onChange: (fields: Partial<Condition>) => void;
}) {
  const all = value.severities.length === 0;
  const toggle = (severity: string) => {
    const on = severities.filter((one) => (one === severity) !== (all || value.severities.includes(one)));
    if (on.length > 0) onChange({ severities: on.length === severities.length ? [] : on });
  };
  return (
    <>
      <fieldset>
        <legend className={fieldKit.label}>Severities of {of}</legend>
        <div className={styles.severities}>
          {severities.map((severity) => (
            <label key={severity} className={styles.toggle}>
              <input
                type="checkbox"
                className="visually-hidden"
                aria-label={capitalised(severity)}
                checked={all || value.severities.includes(severity)}
                onChange={() => toggle(severity)}
              />
              <SeverityMark value={severity} />
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend className={fieldKit.label}>Hours of {of}</legend>
        <HoursEditor hours={value.hours} onChange={(hours) => onChange({ hours })} />
      </fieldset>
    </>
  );
}
