interface Found {
  url: string;
  excerpt: string;
  meta: { title: string };
}

interface Pagefind {
  debouncedSearch(words: string): Promise<{ results: { data(): Promise<Found> }[] } | null>;
}

// The index is written after the build, so no bundler may look for it.
const index = '/pagefind/pagefind.js';

/** Search by keyboard: / or Ctrl+K opens it, arrows choose, Enter goes, Escape closes. The index is fetched when it opens. */
export function offerSearch(): void {
  const opener = document.querySelector<HTMLElement>('[data-search]');
  if (!opener) return;
  const dialog = draw(opener.closest('[data-confirm]') ?? document.body);
  const input = dialog.querySelector('input') as HTMLInputElement;
  const list = dialog.querySelector('ul') as HTMLUListElement;
  const said = dialog.querySelector('p') as HTMLParagraphElement;
  let pagefind: Promise<Pagefind> | undefined;
  let chosen = 0;

  const show = () => {
    if (dialog.open) return;
    dialog.showModal();
    pagefind ??= import(/* @vite-ignore */ index) as Promise<Pagefind>;
    pagefind.catch(() => {
      pagefind = undefined;
      said.textContent = 'The search could not be loaded. Open it again.';
    });
  };
  const choose = (n: number) => {
    const rows = [...list.children];
    chosen = Math.min(Math.max(n, 0), rows.length - 1);
    for (const [at, one] of rows.entries()) one.setAttribute('aria-selected', String(at === chosen));
    rows[chosen]?.scrollIntoView({ block: 'nearest' });
    const row = rows[chosen];
    if (row) input.setAttribute('aria-activedescendant', row.id);
    else input.removeAttribute('aria-activedescendant');
  };
  // The search needs its worker: the policy of these pages forbids what it would do without one.
  const ask = async (words: string) => {
    try {
      return words ? await (await pagefind)?.debouncedSearch(words) : { results: [] };
    } catch {
      list.replaceChildren();
      said.textContent = 'The search did not start. Reload the page to try again.';
      return null;
    }
  };
  const search = async () => {
    const words = input.value.trim();
    const answer = await ask(words);
    if (!answer || words !== input.value.trim()) return; // something else was typed meanwhile
    const found = await Promise.all(answer.results.slice(0, 8).map((one) => one.data()));
    list.replaceChildren(...found.map(row));
    choose(0);
    said.textContent =
      words === ''
        ? 'Type what you look for.'
        : found.length === 0
          ? `Nothing found for ${words}.`
          : `${found.length} pages`;
  };

  opener.addEventListener('click', show);
  input.addEventListener('input', () => void search());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') list.children[chosen]?.querySelector('a')?.click();
    else return;
    event.preventDefault();
  });
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof Element && event.target.closest('input, textarea, select');
    if (
      (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) ||
      (event.key === 'k' && (event.ctrlKey || event.metaKey))
    ) {
      event.preventDefault();
      show();
    }
  });
}

function draw(parent: Element): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', 'Search the docs');
  dialog.innerHTML =
    '<input type="search" role="combobox" aria-label="Search the docs" aria-controls="found" aria-expanded="true" aria-autocomplete="list" autocomplete="off" autofocus placeholder="Search guides, calls, errors"><ul id="found" role="listbox" aria-label="Found"></ul><p role="status">Type what you look for.</p>';
  parent.append(dialog);
  return dialog;
}

function row({ url, excerpt, meta }: Found, n: number): HTMLLIElement {
  const item = document.createElement('li');
  item.id = `found-${n}`;
  item.setAttribute('role', 'option');
  const link = document.createElement('a');
  link.href = url.replace(/\/(#|$)/, '$1');
  link.tabIndex = -1;
  const title = document.createElement('b');
  title.textContent = meta.title;
  const text = document.createElement('span');
  text.innerHTML = excerpt; // Pagefind escapes it, and marks what was found
  link.append(title, text);
  item.append(link);
  return item;
}
