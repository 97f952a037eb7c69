import { type KeyboardEvent, type ReactNode, useId } from 'react';
import * as styles from './tabs.module.css';

/** One view behind a tab. */
export interface Tab<Value extends string> {
  value: Value;
  word: ReactNode;
  disabled?: boolean;
}

interface TabsProps<Value extends string> {
  label: string;
  tabs: readonly Tab<Value>[];
  value: Value;
  onChoose: (value: Value) => void;
  /** What stands beside the tabs, such as a search of all views. */
  aside?: ReactNode;
  /** The view of the chosen tab. */
  children: ReactNode;
}

/** Views under a row of tabs. Left and right arrows move between them, as in every tab list. */
export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onChoose,
  aside,
  children,
}: TabsProps<Value>) {
  const id = useId();
  const onKey = (event: KeyboardEvent) => {
    const next = tabAfter(tabs, value, event.key);
    if (next === null) return;
    event.preventDefault();
    onChoose(next);
    document.getElementById(`${id}${next}`)?.focus();
  };
  return (
    <>
      <div className={styles.tabs} role="tablist" aria-label={label} onKeyDown={onKey}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            id={`${id}${tab.value}`}
            type="button"
            role="tab"
            aria-selected={tab.value === value}
            aria-controls={`${id}view`}
            tabIndex={tab.value === value ? 0 : -1}
            disabled={tab.disabled}
            onClick={() => onChoose(tab.value)}
          >
            {tab.word}
          </button>
        ))}
      </div>
      {aside}
      <div id={`${id}view`} role="tabpanel" aria-labelledby={`${id}${value}`}>
        {children}
      </div>
    </>
  );
}

/** The tab that a key leads to from the current one, skipping disabled ones; null for other keys. */
export function tabAfter<Value extends string>(
  tabs: readonly Tab<Value>[],
  value: Value,
  key: string,
): Value | null {
  const open = tabs.filter((tab) => !tab.disabled);
  const at = open.findIndex((tab) => tab.value === value);
  const steps: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1 + open.length,
    Home: 0,
    End: open.length - 1,
  };
  const step = steps[key];
  return step === undefined ? null : (open[step % open.length]?.value ?? null);
}
