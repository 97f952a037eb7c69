import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { paths } from '~/lib/paths';
import { mayAct, type Role } from '~/lib/role';
import * as styles from './settings-nav.module.css';

const pages: readonly { word: string; to: string; least?: Role }[] = [
  { word: 'Profile', to: paths.settings },
  { word: 'Password and devices', to: paths.sessions },
  { word: 'Organization', to: paths.organization },
  { word: 'API keys', to: paths.apiKeys, least: 'admin' },
  { word: 'Audit log', to: paths.auditLog, least: 'admin' },
  { word: 'Members', to: paths.users },
  { word: 'Teams', to: paths.teams },
];

/** The pages of the settings, and those that stand elsewhere. What a role may not read is not offered. */
export function SettingsNav() {
  const { pathname } = useLocation();
  const row = useRef<HTMLElement>(null);
  // On a phone the row is wider than the screen. Only the row moves, never the page.
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>(`[href="${pathname}"]`);
    if (!row.current || !here) return;
    row.current.scrollLeft = here.offsetLeft - (row.current.clientWidth - here.offsetWidth) / 2;
  }, [pathname]);
  return (
    <nav ref={row} className={styles.settingsNav} aria-label="Settings">
      {pages
        .filter(({ least }) => least === undefined || mayAct(least))
        .map(({ word, to }) => (
          <Link key={to} to={to} aria-current={pathname === to ? 'page' : undefined}>
            {word}
          </Link>
        ))}
    </nav>
  );
}
