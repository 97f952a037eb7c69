/** Does again what was done on the page itself before React had it (lib/early-click.ts). False for any other wish. */
export function doAgain(wish: string): boolean {
  if (wish === 'news') document.querySelector<HTMLFormElement>('[data-early-sent="news"]')?.requestSubmit();
  else if (wish === 'sample') document.querySelector<HTMLElement>('[data-early="sample"]')?.click();
  else return false;
  return true;
}
