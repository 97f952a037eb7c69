import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';

/** Where the list of keys shows an action. */
export type KeySection = 'Everywhere' | 'In a list' | 'On an incident';

/** One thing a page does for a key. */
export interface KeyAction {
  /** A key as the browser names it, or two pressed one after the other with a space between. */
  keys: string;
  /** What the list of keys says of it. */
  word: string;
  section: KeySection;
  /** Whether a key that is held does it again and again. */
  held?: boolean;
  /** False when there is nothing to do now; the key is then the browser's. */
  run: () => unknown;
}

// What the pages and the frame around them do at present; the list of keys is read from it, so it cannot lie.
let bound: readonly RefObject<readonly KeyAction[]>[] = [];
// Who shows what is bound, or whether single keys are on.
const listeners = new Set<() => void>();
const together = 1500;
let first = { key: '', at: 0 };
// The field that takes what somebody types.
let typing: { field: Node | null; key: string; at: number; until: number } = {
  field: null,
  key: '',
  at: 0,
  until: 0,
};
const restOfWord = 1000;
const longestRest = 3000; // who presses one key again and again after that means the page

/** Binds single keys while the component is mounted. None is heard while somebody types, in a dialog, or once they are turned off. */
export function useKeys(actions: readonly KeyAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (bound.length === 0) document.addEventListener('keydown', onKey);
    bind([...bound, latest]);
    return () => {
      bind(bound.filter((actions) => actions !== latest));
      if (bound.length > 0) return;
      document.removeEventListener('keydown', onKey);
      typing.field = null;
    };
  }, []);
}

function bind(actions: typeof bound): void {
  bound = actions;
  for (const notify of listeners) notify();
}

function keyActions(): readonly KeyAction[] {
  return bound.flatMap((actions) => actions.current);
}

/** Everything a key does on the page that is shown, also where that page comes only after the first look. */
export function useKeyActions(): readonly KeyAction[] {
  useSyncExternalStore(
    subscribe,
    () => bound,
    () => bound,
  );
  return keyActions();
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const now = event.timeStamp;
  if (isField(event.target)) {
    // Enter and Escape may send the field away; whoever types a letter means to go on.
    typing = {
      field: event.key.length === 1 ? event.target : null,
      key: '',
      at: now,
      until: now + longestRest,
    };
    return;
  }
  const insists = now >= typing.until && event.key === typing.key;
  if (typing.field?.isConnected === false && now - typing.at < restOfWord && !insists) {
    typing.key = event.key;
    typing.at = now;
    return;
  }
  if (document.querySelector('dialog[open]') || !keysOn()) return;
  const pair = first.key !== '' && now - first.at < together ? `${first.key} ${event.key}` : '';
  first = { key: '', at: now };
  const actions = keyActions();
  const begins = actions.some(({ keys }) => keys.startsWith(`${event.key} `));
  const meant = actions.find(({ keys }) => keys === pair) ?? actions.find(({ keys }) => keys === event.key);
  if (event.repeat && !meant?.held) return;
  if (!meant && begins) first = { key: event.key, at: now };
  if (meant && meant.run() !== false) event.preventDefault();
}

function isField(target: EventTarget | null): target is HTMLElement {
  return (
    target instanceof HTMLElement &&
    target.matches('textarea, select, [contenteditable], input:not([type="checkbox"])')
  );
}

// Speech input types single keys by accident, so they can be turned off (WCAG 2.2, 2.1.4).
const key = 'single-keys';
let forgotten: boolean | null = null;

function keysOn(): boolean {
  try {
    return forgotten ?? localStorage.getItem(key) !== 'false';
  } catch {
    return true;
  }
}

/** Whether single keys are on, and the way to turn them on and off. This browser remembers it. */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  return [useSyncExternalStore(subscribe, keysOn, () => true), turn];
}

function turn(on: boolean): void {
  try {
    localStorage.setItem(key, String(on));
  } catch {
    forgotten = on; // Without storage it lasts as long as the page.
  }
  for (const notify of listeners) notify();
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  window.addEventListener('storage', notify);
  return () => {
    listeners.delete(notify);
    window.removeEventListener('storage', notify);
  };
}
