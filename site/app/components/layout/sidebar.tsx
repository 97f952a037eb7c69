import { NavLink } from 'react-router';
import { Avatar } from '~/components/ui/avatar';
import { Count } from '~/components/ui/badge';
import { Brand } from '~/components/ui/brand';
import { Icon, type IconName } from '~/components/ui/icon';
import { ThemeSwitch } from '~/components/ui/theme-switch';
import { paths } from '~/lib/paths';
import type { SessionUser } from '~/lib/session';
import * as styles from './frame.module.css';

interface Item {
  word: string;
  icon: IconName;
  /** Without an address the item is plain text: its page does not exist yet. */
  to?: string;
}

const items: readonly Item[] = [
  { word: 'Dashboard', icon: 'dashboard', to: paths.dashboard },
  { word: 'Incidents', icon: 'incidents', to: paths.incidents },
  { word: 'On-Call', icon: 'oncall', to: paths.onCall },
  { word: 'Services', icon: 'services', to: paths.services },
  { word: 'Users', icon: 'users' },
  { word: 'Analytics', icon: 'analytics' },
  { word: 'Integrations', icon: 'integrations', to: paths.integrations },
];

interface SidebarProps {
  user: SessionUser;
  /** The colour of the person's avatar: the place in order of joining. */
  hue: number | undefined;
  /** How many incidents nobody has acknowledged; null when that could not be counted, undefined while it is not yet. */
  unacknowledged: number | null | undefined;
  /** Owners of an installation without a mail server read its mail here. */
  showInbox: boolean;
  onLogout: () => void;
}

/** The signed-in navigation, the person and the way out. */
export function Sidebar({ user, hue, unacknowledged, showInbox, onLogout }: SidebarProps) {
  return (
    <aside className={styles.sidebar} id="sidebar" aria-label="Main">
      <div>
        <Brand to={paths.dashboard} />
        <nav aria-label="Pages">
          {items.map((item) => (
            <SidebarItem key={item.word} item={item} count={item.word === 'Incidents' ? unacknowledged : 0} />
          ))}
          {showInbox && <SidebarItem item={{ word: 'Inbox', icon: 'inbox', to: paths.inbox }} count={0} />}
        </nav>
        <div className={styles.account}>
          <span className={styles.item}>
            <Avatar name={user.name} hue={hue} />
            <span className="strong ellipsis">{user.name}</span>
          </span>
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

function SidebarItem({ item, count }: { item: Item; count: number | null | undefined }) {
  const content = (
    <>
      <Icon name={item.icon} />
      {item.word}
      {count === null && <Count value="?" label="unacknowledged, number not known" />}
      {Boolean(count) && <Count value={count ?? 0} amber label="unacknowledged" />}
    </>
  );
  if (!item.to) return <span className={styles.item}>{content}</span>;
  return (
    <NavLink className={styles.item} to={item.to}>
      {content}
    </NavLink>
  );
}
