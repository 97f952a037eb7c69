import { useEffect } from 'react';
import { useLocation } from 'react-router';

const delay = 100;

/** Scrolls smoothly to the section the address names, 100 ms after the page or the hash changed. */
export function useHashScroll(): void {
  const location = useLocation();
  useEffect(() => {
    const { hash } = location;
    if (hash.length < 2) return;
    const timer = setTimeout(() => scrollTo(decodeURIComponent(hash.slice(1))), delay);
    return () => clearTimeout(timer);
  }, [location]);
}

function scrollTo(id: string): void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById(id)?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
}
