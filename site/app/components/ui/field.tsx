import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
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

/** Several lines with their label above. */
export function TextArea({
  label,
  optional,
  error,
  ...area
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} optional={optional} error={error} area>
      <textarea
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        {...area}
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

interface FrameProps extends Labelled {
  id: string;
  area?: boolean;
  children: ReactNode;
}

function Frame({ id, label, optional, error, area, children }: FrameProps) {
  const frame = [styles.field, area && styles.area, error && styles.invalid].filter(Boolean).join(' ');
  return (
    <div>
      <label className={styles.label} htmlFor={id}>
        {label} {optional && <span className={styles.optional}>optional</span>}
      </label>
      <div className={frame}>{children}</div>
      {error && (
        <p className={styles.fieldError} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
