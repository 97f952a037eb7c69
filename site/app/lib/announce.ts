/** Says that something worked to whoever does not see the page change. */
export function announce(words: string): void {
  const page = document; // a test's may be taken away before
  // The same words are read again only as a new element, and nothing is outside of a dialog that is about to close.
  setTimeout(() => {
    const said = page.createElement('span');
    said.textContent = words;
    page.querySelector('[data-announced]')?.replaceChildren(said);
  }, 100);
}
