/** The address of a section is followed so many milliseconds after the page or the address changed. */
const delay = 100;

/** Scrolls smoothly to the section a hash names, in a moment. Returns the way to call it off. */
export function followHash(hash: string): () => void {
  if (hash.length < 2) return () => undefined;
  const timer = setTimeout(() => {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const section = document.getElementById(decodeURIComponent(hash.slice(1)));
    section?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
  }, delay);
  return () => clearTimeout(timer);
}
