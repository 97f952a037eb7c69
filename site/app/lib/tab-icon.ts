import { useEffect } from 'react';

const plain = '/favicon.svg';

/**
 * Puts the number of unacknowledged incidents on the icon of the browser's tab, so that it is seen
 * among twenty tabs; a question mark when it could not be counted. The plain icon comes back at the end.
 */
export function useTabIcon(unacknowledged: number | null | undefined): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link) return;
    link.href = unacknowledged === 0 || unacknowledged === undefined ? plain : iconWith(unacknowledged);
    return () => {
      link.href = plain;
    };
  }, [unacknowledged]);
}

/** The address of an icon with a number on it: the bell, and the count where a badge sits. */
export function iconWith(count: number | null): string {
  const text = count === null ? '?' : count > 99 ? '99' : String(count);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#f5b13d"/><text x="16" y="24" font-family="system-ui,sans-serif" font-size="${text.length > 1 ? 20 : 24}" font-weight="700" text-anchor="middle" fill="#241a08">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
