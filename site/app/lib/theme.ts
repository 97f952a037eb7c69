/** What a reader may choose; `system` follows the operating system. */
export type ThemeChoice = 'light' | 'dark' | 'system';

const key = 'ui-theme';
const choices: readonly string[] = ['light', 'dark', 'system'];

/**
 * Runs as the first thing in <head>, before any style, so that no page flashes in the wrong
 * theme. It repeats `apply` below in the smallest form because no module has loaded yet.
 */
export const themeScript = `(function(){var c=null;try{c=localStorage.getItem("${key}")}catch(e){}if(c!=="light"&&c!=="dark"&&c!=="system")c=location.pathname==="/"?"system":"dark";document.documentElement.dataset.theme=c==="system"?(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light"):c})()`;

/** The theme a page has while nothing is stored: the landing page follows the system. */
export function defaultTheme(pathname: string): ThemeChoice {
  return pathname === '/' ? 'system' : 'dark';
}

/** The stored choice, or the page's default when there is none or storage is closed. */
export function currentTheme(pathname = location.pathname): ThemeChoice {
  try {
    const stored = localStorage.getItem(key) ?? '';
    if (choices.includes(stored)) return stored as ThemeChoice;
  } catch {
    // Storage may be forbidden; the default still works.
  }
  return defaultTheme(pathname);
}

/** Puts the current choice on <html>. Call it after navigation, because the default depends on the page. */
export function applyTheme(pathname = location.pathname): void {
  const choice = currentTheme(pathname);
  // Paper is light.
  const dark = !printQuery().matches && (choice === 'dark' || (choice === 'system' && darkQuery().matches));
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

/** Stores a choice and shows it. Without storage it lasts until the page is left. */
export function chooseTheme(choice: ThemeChoice): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    // Shown below all the same.
  }
  applyTheme();
  for (const notify of listeners) notify();
}

/** Calls back when the choice changes here, in another tab, or when the system changes. Returns the way to stop. */
export function subscribeTheme(notify: () => void): () => void {
  const onChange = () => {
    applyTheme();
    notify();
  };
  listeners.add(notify);
  window.addEventListener('storage', onChange);
  darkQuery().addEventListener('change', onChange);
  printQuery().addEventListener('change', onChange);
  return () => {
    listeners.delete(notify);
    window.removeEventListener('storage', onChange);
    darkQuery().removeEventListener('change', onChange);
    printQuery().removeEventListener('change', onChange);
  };
}

const listeners = new Set<() => void>();

function darkQuery(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: dark)');
}

function printQuery(): MediaQueryList {
  return matchMedia('print');
}
