import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { paths } from '~/lib/paths';
import * as styles from './oncall-nav.module.css';

const pages = [
  { word: 'Schedules', to: paths.onCall },
  { word: 'Escalation policies', to: paths.policies },
  { word: 'Teams', to: paths.teams },
  { word: 'Maintenance', to: paths.maintenance },
  { word: 'Explain', to: paths.explain },
  { word: 'My contact methods', to: paths.contacts },
] as const;

/** The pages about who is paged. It stands under the page's head, on each of them. */
export function OncallNav() {
  const { pathname } = useLocation();
  const section = sectionOf(pathname);
  const row = useRef<HTMLElement>(null);
  // On a phone the row is wider than the screen. Only the row moves, never the page.
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>(`[href="${section}"]`);
    if (!row.current || !here) return;
    row.current.scrollLeft = here.offsetLeft - (row.current.clientWidth - here.offsetWidth) / 2;
  }, [section]);
  return (
    <nav ref={row} className={styles.oncallNav} aria-label="On-call">
      {pages.map((page) => (
        <Link key={page.to} to={page.to} aria-current={page.to === section ? 'page' : undefined}>
          {page.word}
        </Link>
      ))}
    </nav>
  );
}

/** The section that a page belongs to: pages of one schedule are among the schedules. */
function sectionOf(pathname: string): string {
  return pages.find(({ to }) => to !== paths.onCall && pathname.startsWith(to))?.to ?? paths.onCall;
}
