import { useEffect, useRef } from 'react';
import { NavLink, useLocation } from 'react-router';
import { paths } from '~/lib/paths';
import '../oncall-nav.css';

const pages = [
  { word: 'Schedules', to: paths.onCall, end: true },
  { word: 'Escalation policies', to: paths.policies, end: false },
  { word: 'Teams', to: paths.teams, end: false },
  { word: 'Maintenance', to: paths.maintenance, end: false },
  { word: 'Explain', to: paths.explain, end: false },
  { word: 'My contact methods', to: paths.contacts, end: false },
] as const;

/** The pages about who is paged. It stands under the page's head, on each of them. */
export function OncallNav() {
  const { pathname } = useLocation();
  const row = useRef<HTMLElement>(null);
  // On a phone the row is wider than the screen. Only the row moves, never the page.
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>(`[href="${sectionOf(pathname)}"]`);
    if (!row.current || !here) return;
    row.current.scrollLeft = here.offsetLeft - (row.current.clientWidth - here.offsetWidth) / 2;
  }, [pathname]);
  return (
    <nav ref={row} className="oncall-nav" aria-label="On-call">
      {pages.map((page) => (
        <NavLink key={page.to} to={page.to} end={page.end}>
          {page.word}
        </NavLink>
      ))}
    </nav>
  );
}

function sectionOf(pathname: string): string {
  return pages.find((page) => !page.end && pathname.startsWith(page.to))?.to ?? paths.onCall;
}
