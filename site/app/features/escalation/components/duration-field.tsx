import { useId, useState } from 'react';
import * as fieldKit from '~/components/ui/field.module.css';
import * as styles from './duration-field.module.css';

const units = [
  { value: 's', word: 'seconds', seconds: 1 },
  { value: 'min', word: 'minutes', seconds: 60 },
  { value: 'h', word: 'hours', seconds: 3600 },
  { value: 'd', word: 'days', seconds: 86_400 },
] as const;
const never = 'never';

interface DurationFieldProps {
  label: string;
  /** Zero is never, where never is offered. */
  seconds: number;
  onChange: (seconds: number) => void;
  /** Offers never as a unit. */
  canBeNever?: boolean;
  /** What to begin with when never is left. */
  first?: number;
  error?: string;
}

/** A length of time as a number and a unit. What is typed stays as it is: 60 minutes do not become an hour. */
export function DurationField({
  label,
  seconds,
  onChange,
  canBeNever = false,
  first = 3600,
  error,
}: DurationFieldProps) {
  const id = useId();
  const [own, setOwn] = useState<Typed | null>(null);
  // Only beside the length that it means: that may be another by now, as after Discard.
  const { text, unit } = own && secondsOf(own) === seconds ? own : typed(seconds, canBeNever);
  // Zero is stored as never, and that is said by choosing it.
  const fault = canBeNever && unit !== never && seconds === 0 ? 'Give a length, or choose Never.' : '';
  const change = (nextText: string, nextUnit: string) => {
    const next = { text: nextText, unit: nextUnit };
    setOwn(next);
    onChange(secondsOf(next));
  };
  const choose = (next: string) => {
    if (next === never) return change('', never);
    if (unit !== never) return change(text, next);
    const size = units.find(({ value }) => value === next)?.seconds ?? 1;
    change(String(Math.max(1, Math.round(first / size))), next);
  };
  return (
    <fieldset className={styles.duration}>
      <legend className={fieldKit.label}>{label}</legend>
      <div className={styles.parts}>
        {unit !== never && (
          <div className={error ? `${fieldKit.field} ${fieldKit.invalid}` : fieldKit.field}>
            <input
              ref={(input) => input?.setCustomValidity(fault)}
              type="number"
              min={1}
              inputMode="numeric"
              aria-label={`${label}: number`}
              aria-invalid={error ? true : undefined}
              aria-describedby={error ? `${id}-error` : undefined}
              value={text}
              onChange={(event) => change(event.target.value, unit)}
            />
          </div>
        )}
        <div className={fieldKit.field}>
          <select aria-label={`${label}: unit`} value={unit} onChange={(event) => choose(event.target.value)}>
            {canBeNever && <option value={never}>Never</option>}
            {units
              .filter(({ value }) => (canBeNever ? value !== 's' : value !== 'd'))
              .map(({ value, word }) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
          </select>
        </div>
      </div>
      {error && (
        <p className={fieldKit.fieldError} id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface Typed {
  text: string;
  unit: string;
}

function secondsOf({ text, unit }: Typed): number {
  const size = units.find(({ value }) => value === unit)?.seconds ?? 0;
  return Math.max(0, Math.round((Number(text) || 0) * size));
}

/** The number and unit that say a length most briefly. */
function typed(seconds: number, canBeNever: boolean): Typed {
  if (seconds === 0 && canBeNever) return { text: '', unit: never };
  const offered = units.filter(({ value }) => (canBeNever ? value !== 's' : value !== 'd'));
  const unit = offered.findLast((one) => seconds % one.seconds === 0) ?? offered[0];
  return { text: String(seconds / (unit?.seconds ?? 1)), unit: unit?.value ?? 'min' };
}
