/** Says that something worked to whoever does not see the page change. */
export function announce(words: string): void {
  const region = document.querySelector('[data-announced]');
  if (region) region.textContent = words;
}
