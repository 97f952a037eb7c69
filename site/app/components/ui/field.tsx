import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from 'react';
import * as styles from './field.module.css';

interface Labelled {
  label: string;
  optional?: boolean;
  /** A sentence under the field; it marks the field invalid. */
  error?: string;
}

/** A one-line input with its label above. */
export function TextField({
  label,
  optional,
  error,
  ...input
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} optional={optional} error={error}>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        {...input}
      />
    </Frame>
  );
}

/** A word of a choice; `value` is what the form sends when it is not the word itself. */
export type Option = string | { value: string; word: string };

/** A native choice from a list. */
export function SelectField({
  label,
  optional,
  error,
  options,
  ...select
}: Labelled & { options: readonly Option[] } & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} optional={optional} error={error}>
      <select id={id} {...select}>
        {options.map((option) => {
          const { value, word } = typeof option === 'string' ? { value: option, word: option } : option;
          return (
            <option key={value} value={value}>
              {word}
            </option>
          );
        })}
      </select>
    </Frame>
  );
}

function Frame({ id, label, optional, error, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div>
      <label className={styles.label} htmlFor={id}>
        {label} {optional && <span className={styles.optional}>optional</span>}
      </label>
      <div className={error ? `${styles.field} ${styles.invalid}` : styles.field}>{children}</div>
      {error && (
        <p className={styles.fieldError} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
