import { copy } from '~/lib/copy';
import { currentSession } from '~/lib/session';
import { chooseTheme, currentTheme, subscribeTheme, type ThemeChoice } from '~/lib/theme';
import { followContents } from './contents';
import { offerSearch } from './search';

// What a page of the documentation does beside being read. Everything here adds to a page that is complete without it.

const confirmFor = 2000;
const docs = document.querySelector<HTMLElement>('[data-confirm]');

for (const hidden of document.querySelectorAll('[data-copy], [data-copy-page], [data-search], [data-themes]'))
  hidden.removeAttribute('hidden');

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('button') : null;
  if (button?.dataset.copy !== undefined) void copyBlock(button);
  else if (button?.dataset.copyPage) void copyPage(button, button.dataset.copyPage);
  else if (button?.dataset.themeChoice) chooseTheme(button.dataset.themeChoice as ThemeChoice);
});

async function copyBlock(button: HTMLElement): Promise<void> {
  confirm(button, await copy(button.dataset.copy || codeOf(button), { quiet: true }));
}

/** The code of a block, with the reader's own values in full. */
function codeOf(button: HTMLElement): string {
  const code = button.closest('figure')?.querySelector('code')?.cloneNode(true);
  if (!(code instanceof HTMLElement)) return '';
  for (const own of code.querySelectorAll<HTMLElement>('[data-whole]'))
    own.textContent = own.dataset.whole ?? '';
  return code.textContent ?? '';
}

async function copyPage(button: HTMLElement, url: string): Promise<void> {
  const answer = await fetch(url);
  confirm(button, answer.ok && (await copy(await answer.text(), { quiet: true })));
}

/** The tick, and where the page wants it the toast, for two seconds. */
function confirm(button: HTMLElement, copied: boolean): void {
  const words = button.querySelector('span');
  const use = button.querySelector('use');
  const toast = document.querySelector('[data-toast]');
  if (!words || !use || !toast || button.dataset.done !== undefined) return;
  const before = { word: words.textContent, icon: use.getAttribute('href') ?? '' };
  button.dataset.done = '';
  words.textContent = copied ? 'Copied' : 'Not copied';
  if (copied) use.setAttribute('href', before.icon.replace(/#.*/, '#check'));
  const said = copied
    ? 'Copied to clipboard'
    : 'The browser keeps its clipboard closed here. Copy it by hand.';
  if (docs?.dataset.confirm === 'toast' || !copied) toast.textContent = said;
  setTimeout(() => {
    delete button.dataset.done;
    words.textContent = before.word;
    use.setAttribute('href', before.icon);
    if (toast.textContent === said) toast.textContent = '';
  }, confirmFor);
}

// The theme, as on every other page.
const showTheme = () => {
  for (const button of document.querySelectorAll<HTMLElement>('[data-theme-choice]'))
    button.setAttribute('aria-pressed', String(button.dataset.themeChoice === currentTheme()));
};
showTheme();
subscribeTheme(showTheme);

// The language chosen last is the one shown, on every page.
const remembered = 'docs-language';
document.addEventListener('change', (event) => {
  const input = event.target;
  if (!(input instanceof HTMLInputElement) || !input.closest('[data-tabs]')) return;
  if (input.closest<HTMLElement>('[data-kind]')?.dataset.kind !== 'language') return;
  try {
    localStorage.setItem(remembered, input.value);
  } catch {
    // Shown on this page all the same.
  }
  showLanguage(input.value);
});

function showLanguage(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('[data-kind="language"] [data-tabs] input'))
    if (input.value === language) input.checked = true;
}

try {
  const language = localStorage.getItem(remembered);
  if (language) showLanguage(language);
} catch {
  // Storage may be forbidden; the first language is shown.
}

// The menu of a phone closes with Escape, and gives the focus back.
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || location.hash !== '#tree') return;
  location.hash = '#content';
  document.querySelector<HTMLElement>('[data-open-tree]')?.focus();
});

followContents();
offerSearch();
// Fetched only for readers who are signed in.
if (currentSession())
  void import('./mine').then(({ offerOwnValues }) => offerOwnValues()).catch(() => undefined);
if (docs) docs.dataset.ready = '';
