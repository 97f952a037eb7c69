import { type ReactNode, useEffect, useRef } from 'react';
import * as styles from './checkbox.module.css';

interface CheckboxProps {
  /** What it chooses, where that is not written beside it. */
  label?: string;
  /** What is written beside it. */
  children?: ReactNode;
  checked: boolean;
  /** Some of what it stands for are chosen, not all: neither on nor off. */
  some?: boolean;
  onChange: (checked: boolean) => void;
}

/** A checkbox in a place that is large enough for a finger. */
export function Checkbox({ label, checked, some = false, onChange, children }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = some;
  }, [some]);
  const input = (
    <input
      ref={box}
      className={styles.checkbox}
      type="checkbox"
      aria-label={label}
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
  // biome-ignore lint/a11y/noLabelWithoutControl: it is the input above.
  if (!children) return <label className={styles.hit}>{input}</label>;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: and so is this.
    <label className={styles.check}>
      <span className={styles.hit}>{input}</span>
      {children}
    </label>
  );
}
