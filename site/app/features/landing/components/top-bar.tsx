import { Link } from 'react-router';
import { Brand } from '~/components/ui/brand';
import { Button, ButtonLink } from '~/components/ui/button';
import * as buttonKit from '~/components/ui/button.module.css';
import { Icon } from '~/components/ui/icon';
import { ThemeSwitch } from '~/components/ui/theme-switch';
import { isDocs, paths } from '~/lib/paths';
import * as landingStyles from '../landing.module.css';
import * as styles from './top-bar.module.css';

const links = [
  { to: '/#features', word: 'Features' },
  { to: '/#wearable', word: 'Wearable' },
  { to: '/#pricing', word: 'Pricing' },
  { to: paths.docs, word: 'Docs' },
  { to: '/#about', word: 'About' },
];

/** The public top bar. Whoever is signed in finds the way back in place of Log in. */
export function TopBar({ signedIn, onLogin }: { signedIn: boolean; onLogin: () => void }) {
  return (
    <header className={styles.topBar}>
      <div className={landingStyles.wrap}>
        <Brand to={paths.home} />
        <nav className={landingStyles.wideOnly} aria-label="Sections">
          <Links />
        </nav>
        <ThemeSwitch className={landingStyles.wideOnly} />
        {signedIn ? (
          <ButtonLink to={paths.dashboard} look="quiet">
            Dashboard
          </ButtonLink>
        ) : (
          <Button look="quiet" data-early="login" onClick={onLogin}>
            Log in
          </Button>
        )}
        <ButtonLink to={paths.docsDeploy} icon="deploy" className={landingStyles.wideOnly}>
          Deploy
        </ButtonLink>
        <button
          type="button"
          className={`${buttonKit.button} ${landingStyles.narrowOnly}`}
          data-look="quiet"
          data-square
          popoverTarget="site-menu"
          aria-label="Menu"
        >
          <Icon name="menu" />
        </button>
      </div>
      <div id="site-menu" popover="auto" className={styles.siteMenu}>
        <nav aria-label="Menu">
          <Links />
          <Link to={paths.docsDeploy} reloadDocument>
            Deploy
          </Link>
        </nav>
        <ThemeSwitch />
      </div>
    </header>
  );
}

function Links() {
  return links.map(({ to, word }) => (
    <Link key={to} to={to} reloadDocument={isDocs(to)} onClick={closeMenu}>
      {word}
    </Link>
  ));
}

function closeMenu(): void {
  const menu = document.getElementById('site-menu');
  if (menu?.matches(':popover-open')) menu.hidePopover();
}
