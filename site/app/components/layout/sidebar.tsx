import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { Avatar } from '~/components/ui/avatar';
import { Count } from '~/components/ui/badge';
import { Brand } from '~/components/ui/brand';
import { Icon } from '~/components/ui/icon';
import { Kbd } from '~/components/ui/kbd';
import { ThemeSwitch } from '~/components/ui/theme-switch';
import { paths } from '~/lib/paths';
import type { SessionUser } from '~/lib/session';
import * as styles from './frame.module.css';
import { type Page, pages } from './pages';

interface SidebarProps {
  user: SessionUser;
  /** The colour of the person's avatar: the place in order of joining. */
  hue: number | undefined;
  /** How many incidents nobody has acknowledged; null when that could not be counted, undefined while it is not yet. */
  unacknowledged: number | null | undefined;
  /** Owners of an installation without a mail server read its mail here. */
  showInbox: boolean;
  /** The way to the account's other organizations, if it has any; it is given the look of an item. */
  organizations: (className: string | undefined) => ReactNode;
  onFind: () => void;
  onLogout: () => void;
}

/** The signed-in navigation, the person and the way out. */
export function Sidebar({
  user,
  hue,
  unacknowledged,
  showInbox,
  organizations,
  onFind,
  onLogout,
}: SidebarProps) {
  return (
    <aside className={styles.sidebar} id="sidebar" aria-label="Main">
      <div>
        <Brand to={paths.dashboard} />
        <button type="button" className={`${styles.item} ${styles.find}`} onClick={onFind}>
          <Icon name="search" />
          Find
          <Kbd className="hide-phone">Ctrl K</Kbd>
        </button>
        <nav aria-label="Pages">
          {pages.map((item) => (
            <SidebarItem key={item.word} item={item} count={item.word === 'Incidents' ? unacknowledged : 0} />
          ))}
          {showInbox && <SidebarItem item={{ word: 'Inbox', icon: 'inbox', to: paths.inbox }} count={0} />}
        </nav>
        <div className={styles.account}>
          {organizations(styles.item)}
          <NavLink
            className={styles.item}
            to={paths.settings}
            aria-label={`${user.name}: profile and settings`}
          >
            <Avatar name={user.name} hue={hue} />
            <span className="strong ellipsis">{user.name}</span>
            <Icon name="wrench" />
          </NavLink>
          <button type="button" className={styles.item} onClick={onLogout}>
            <Icon name="logout" />
            Logout
          </button>
          <div className={`${styles.themeRow} only-phone`}>
            <ThemeSwitch />
          </div>
        </div>
      </div>
    </aside>
  );
}

function SidebarItem({ item, count }: { item: Page; count: number | null | undefined }) {
  return (
    <NavLink className={styles.item} to={item.to}>
      <Icon name={item.icon} />
      {item.word}
      {count === null && <Count value="?" label="unacknowledged, number not known" />}
      {Boolean(count) && <Count value={count ?? 0} amber label="unacknowledged" />}
    </NavLink>
  );
}
