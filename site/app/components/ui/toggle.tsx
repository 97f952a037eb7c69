import type { ReactNode } from 'react';
import { capitalised } from '~/lib/words';
import * as styles from './toggle.module.css';

interface TogglesProps<T extends string> {
  all: readonly T[];
  /** All of them when empty. */
  chosen: readonly string[];
  small?: boolean;
  /** What is shown for one; its name is read out. */
  sign: (value: T) => ReactNode;
  onChange: (chosen: readonly T[]) => void;
}

/** Some of a few words, or all of them: then none is chosen, so that one that is new later counts too. The last one stays. */
export function Toggles<T extends string>({ all, chosen, small, sign, onChange }: TogglesProps<T>) {
  const isOn = (value: T) => chosen.length === 0 || chosen.includes(value);
  const toggle = (value: T) => {
    const on = all.filter((one) => (one === value) !== isOn(one));
    if (on.length > 0) onChange(on.length === all.length ? [] : on);
  };
  return (
    <div className={styles.toggles} data-small={small || undefined}>
      {all.map((value) => (
        <label key={value} className={styles.toggle}>
          <input
            type="checkbox"
            className="visually-hidden"
            aria-label={capitalised(value)}
            checked={isOn(value)}
            onChange={() => toggle(value)}
          />
          {sign(value)}
        </label>
      ))}
    </div>
  );
}
