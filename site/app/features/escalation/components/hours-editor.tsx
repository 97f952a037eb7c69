import { Button, IconButton } from '~/components/ui/button';
import * as fieldKit from '~/components/ui/field.module.css';
import { TimeInput } from '~/components/ui/time-field';
import { capitalised } from '~/lib/words';
import { days, type Hours, limits } from '../model/policy';
import * as styles from './hours-editor.module.css';
import * as stepEditorStyles from './step-editor.module.css';

interface HoursEditorProps {
  hours: readonly Hours[];
  onChange: (hours: readonly Hours[]) => void;
}

const office: Hours = { days: days.slice(0, 5), from: '09:00', to: '17:00' };

/** When a step applies: days and times on the policy's clock. */
export function HoursEditor({ hours, onChange }: HoursEditorProps) {
  return (
    <div className={styles.hours}>
      {hours.map((window, i) => (
        <HoursRow
          // biome-ignore lint/suspicious/noArrayIndexKey: windows have no other identity, and all of a row's state is in its props.
          key={i}
          window={window}
          name={hours.length > 1 ? `Hours ${i + 1}` : 'Hours'}
          onChange={(changed) => onChange(hours.with(i, changed))}
          onRemove={() => onChange(hours.filter((_, at) => at !== i))}
        />
      ))}
      {hours.length < limits.hours && (
        <Button size="sm" icon="plus" onClick={() => onChange([...hours, office])}>
          {hours.length === 0 ? 'Limit to hours' : 'Add hours'}
        </Button>
      )}
    </div>
  );
}

function HoursRow({
  window: { days: chosen, from, to },
  name,
  onChange,
  onRemove,
}: {
  window: Hours;
  name: string;
  onChange: (window: Hours) => void;
  onRemove: () => void;
}) {
  const window = { days: chosen, from, to };
  const every = chosen.length === 0;
  const toggle = (day: string) => {
    const on = days.filter((one) => (one === day) !== (every || chosen.includes(one)));
    if (on.length > 0) onChange({ ...window, days: on.length === days.length ? [] : on });
  };
  return (
    <fieldset className={styles.hoursRow}>
      <legend className="visually-hidden">{name}</legend>
      <div className={stepEditorStyles.dayToggles}>
        {days.map((day) => (
          <label key={day} className={stepEditorStyles.toggle}>
            <input
              type="checkbox"
              className="visually-hidden"
              aria-label={capitalised(day)}
              checked={every || chosen.includes(day)}
              onChange={() => toggle(day)}
            />
            <span aria-hidden="true">{capitalised(day.slice(0, 2))}</span>
          </label>
        ))}
      </div>
      <div className={styles.times}>
        <div className={fieldKit.field}>
          <TimeInput
            label={`${name}: from`}
            value={from}
            onChange={(time) => onChange({ ...window, from: time })}
          />
        </div>
        <span className="text-3">to</span>
        <div className={fieldKit.field}>
          <TimeInput
            label={`${name}: to`}
            value={to}
            onChange={(time) => onChange({ ...window, to: time })}
          />
        </div>
        <IconButton icon="trash" label={`Remove ${name.toLowerCase()}`} onClick={onRemove} />
      </div>
      {to <= from && (
        <p className="size-12 text-3">{to === from ? 'The whole day.' : 'Until the next day.'}</p>
      )}
    </fieldset>
  );
}
