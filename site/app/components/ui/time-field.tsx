import { useId, useState } from 'react';
import { timeFault, toTime } from '~/lib/time/time-of-day';
import * as fieldStyles from './field.module.css';
import * as styles from './time-field.module.css';

interface TimeInputProps {
  label?: string;
  id?: string;
  /** 24 hours: "09:00". */
  value: string;
  required?: boolean;
  readOnly?: boolean;
  /** Whether "24:00" can be typed for the end of a day, which is then "00:00". */
  endsDay?: boolean;
  onChange: (time: string) => void;
}

/**
 * A time of day without a frame. The browser's own field shows twelve hours to some readers, and at
 * night 8 and 20 must not be one letter apart. What is no time stays to be read, and keeps its form from being sent.
 */
export function TimeInput({ label, id, value, required, readOnly, endsDay, onChange }: TimeInputProps) {
  // Only beside the value that it was typed for, or became: the row may be another's by now.
  const [typed, setTyped] = useState<{ text: string; of: readonly string[] } | null>(null);
  const own = typed?.of.includes(value) ? typed.text : null;
  const fault = timeFault(own ?? '', endsDay);
  const type = (text: string) => {
    const time = toTime(text, endsDay);
    setTyped({ text, of: [value, time] });
    if (time) onChange(time);
  };
  return (
    <input
      ref={(input) => input?.setCustomValidity(fault)}
      id={id}
      className={styles.time}
      type="text"
      inputMode="numeric"
      autoComplete="off"
      maxLength={8} // room for "pm", which is said to be no time
      aria-label={label}
      placeholder="09:00"
      required={required}
      readOnly={readOnly}
      value={own ?? value}
      onChange={(event) => type(event.target.value)}
      onBlur={() => fault || setTyped(null)}
    />
  );
}

/** For a form that checks itself: says at the first time field that holds no time what is wrong with it. */
export function saysNoTime(form: HTMLFormElement): boolean {
  const inputs = [...form.elements].filter((one) => one instanceof HTMLInputElement);
  const faulty = inputs.find((input) => input.willValidate && input.validity.customError);
  // Of what is folded away browsers say nothing.
  const fold = faulty?.closest('details');
  if (fold) fold.open = true;
  return faulty?.reportValidity() === false;
}

/** A time of day with its label above. */
export function TimeField({ label, ...input }: TimeInputProps & { label: string }) {
  const id = useId();
  return (
    <div>
      <label className={fieldStyles.label} htmlFor={id}>
        {label}
      </label>
      <div className={fieldStyles.field}>
        <TimeInput id={id} {...input} />
      </div>
    </div>
  );
}

interface DateTimeFieldProps {
  label: string;
  /** The wall clock, as forms keep it: "2026-03-28T20:00"; empty for none. */
  value?: string;
  /** What it begins with where nobody keeps the value. */
  defaultValue?: string;
  /** The name under which the form sends it. */
  name?: string;
  optional?: boolean;
  required?: boolean;
  readOnly?: boolean;
  /** Called with a whole date and time, or with an empty string while there is none. */
  onChange?: (value: string) => void;
}

/** A date and a time of 24 hours. */
export function DateTimeField(props: DateTimeFieldProps) {
  const { label, value, defaultValue = '', name, optional, required, readOnly, onChange } = props;
  const id = useId();
  const [own, setOwn] = useState(defaultValue);
  // A field without its date is no time, but what stands in it stays.
  const [rest, setRest] = useState<string | null>(null);
  const whole = value ?? own;
  const [date = '', time = ''] = rest === null || whole !== '' ? whole.split('T') : ['', rest];
  const set = (date: string, time: string) => {
    const next = date === '' ? '' : `${date}T${time || '00:00'}`;
    setRest(next === '' ? time : null);
    setOwn(next);
    onChange?.(next);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as one field.
    <div role="group" aria-labelledby={id}>
      <span className={fieldStyles.label} id={id}>
        {label} {optional && <span className={fieldStyles.optional}>optional</span>}
      </span>
      <div className={`${fieldStyles.field} ${styles.dateTime}`}>
        <input
          type="date"
          aria-label={`${label}: date`}
          required={required}
          readOnly={readOnly}
          value={date}
          onChange={(event) => set(event.target.value, time.slice(0, 5))}
        />
        <TimeInput
          label={`${label}: time`}
          required={required}
          readOnly={readOnly}
          value={time.slice(0, 5)}
          onChange={(typed) => set(date, typed)}
        />
      </div>
      {name && <input type="hidden" name={name} value={whole} />}
    </div>
  );
}
