import { HoursEditor } from '~/components/hours-editor';
import * as fieldKit from '~/components/ui/field.module.css';
import { SeverityMark } from '~/components/ui/mark';
import { Toggles } from '~/components/ui/toggle';
import type { Hours } from '~/lib/time/week';
import { severities } from '../model/policy';

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
  return (
    <>
      <fieldset>
        <legend className={fieldKit.label}>Severities of {of}</legend>
        <Toggles
          all={severities}
          chosen={value.severities}
          sign={(severity) => <SeverityMark value={severity} />}
          onChange={(severities) => onChange({ severities })}
        />
      </fieldset>
      <fieldset>
        <legend className={fieldKit.label}>Hours of {of}</legend>
        <HoursEditor hours={value.hours} onChange={(hours) => onChange({ hours })} />
      </fieldset>
    </>
  );
}
