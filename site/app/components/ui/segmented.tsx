import type { ReactNode } from 'react';
import * as styles from './segmented.module.css';

interface Choice<Value extends string> {
  value: Value;
  content: ReactNode;
  /** Needed when the content is not words. */
  label?: string;
}

interface SegmentedProps<Value extends string> {
  label: string;
  choices: readonly Choice<Value>[];
  value: Value | null;
  onChoose: (value: Value) => void;
  look?: 'wide' | 'icons';
  className?: string;
}

/** One choice out of a few, all visible: filters, account type, theme. */
export function Segmented<Value extends string>({
  label,
  choices,
  value,
  onChoose,
  look,
  className = '',
}: SegmentedProps<Value>) {
  return (
    <fieldset className={`${styles.segmented} ${className}`} data-look={look} aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-label={choice.label}
          data-choice={choice.value}
          aria-pressed={choice.value === value}
          onClick={() => onChoose(choice.value)}
        >
          {choice.content}
        </button>
      ))}
    </fieldset>
  );
}
