import { useState } from 'react';
import { Button, IconButton } from '~/components/ui/button';
import * as fieldKit from '~/components/ui/field.module.css';
import { TimeInput } from '~/components/ui/time-field';
import { Toggles } from '~/components/ui/toggle';
import { type Hours, mostHours, office, weekdays } from '~/lib/time/week';
import { capitalised } from '~/lib/words';
import * as styles from './hours-editor.module.css';

interface HoursEditorProps {
  hours: readonly Hours[];
  onChange: (hours: readonly Hours[]) => void;
}

/** Days and times of the week, on the clock of what they belong to. An end at or before its start is on the next day. */
export function HoursEditor({ hours, onChange }: HoursEditorProps) {
  // Windows have no identity, but what is typed in a row and is no time yet goes with it. A key whose row is
  // removed waits at the end for a new one.
  const [keys, setKeys] = useState(() => [...Array(mostHours).keys()]);
  const remove = (i: number) => {
    setKeys([...keys.toSpliced(i, 1), ...keys.slice(i, i + 1)]);
    onChange(hours.toSpliced(i, 1));
  };
  return (
    <div className={styles.hours}>
      {hours.map((window, i) => (
        <HoursRow
          key={keys[i]}
          window={window}
          name={hours.length > 1 ? `Hours ${i + 1}` : 'Hours'}
          onChange={(changed) => onChange(hours.with(i, changed))}
          onRemove={() => remove(i)}
        />
      ))}
      {hours.length < mostHours && (
        <Button size="sm" icon="plus" onClick={() => onChange([...hours, office])}>
          {hours.length === 0 ? 'Limit to hours' : 'Add hours'}
        </Button>
      )}
    </div>
  );
}

interface HoursRowProps {
  window: Hours;
  name: string;
  onChange: (window: Hours) => void;
  onRemove: () => void;
}

function HoursRow({ window, name, onChange, onRemove }: HoursRowProps) {
  const { days, from, to } = window;
  const time = (place: 'from' | 'to') => (
    <div className={fieldKit.field}>
      <TimeInput
        label={`${name}: ${place}`}
        required
        endsDay={place === 'to'}
        value={window[place]}
        onChange={(time) => onChange({ ...window, [place]: time })}
      />
    </div>
  );
  return (
    <fieldset className={styles.row}>
      <legend className="visually-hidden">{name}</legend>
      <Toggles
        small
        all={weekdays}
        chosen={days}
        sign={(day) => <span aria-hidden="true">{capitalised(day.slice(0, 2))}</span>}
        onChange={(days) => onChange({ ...window, days })}
      />
      <div className={styles.times}>
        {time('from')}
        <span className="text-3">to</span>
        {time('to')}
        <IconButton icon="trash" label={`Remove ${name.toLowerCase()}`} onClick={onRemove} />
      </div>
      {to <= from && (
        <p className="size-12 text-3">{to === from ? 'The whole day.' : 'Until the next day.'}</p>
      )}
    </fieldset>
  );
}
