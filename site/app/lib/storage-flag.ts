import { useState } from 'react';

/** A yes or no that this browser remembers. Without storage it lasts as long as the page. */
export function useStoredFlag(key: string, initial: boolean): [boolean, (value: boolean) => void] {
  const [value, setValue] = useState(() => read(key) ?? initial);
  const store = (next: boolean) => {
    setValue(next);
    try {
      localStorage.setItem(key, String(next));
    } catch {
      // Remembered for this page only.
    }
  };
  return [value, store];
}

function read(key: string): boolean | null {
  try {
    const stored = localStorage.getItem(key);
    return stored === null ? null : stored === 'true';
  } catch {
    return null;
  }
}
