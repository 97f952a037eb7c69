import { type ReactNode, useSyncExternalStore } from 'react';
import { useNavigate } from 'react-router';
import { useEarlyClick } from '~/lib/early-click';
import { useHashScroll } from '~/lib/hash-scroll';
import { paths } from '~/lib/paths';
import { currentSession, subscribeSession } from '~/lib/session';
import type { SignInRequest } from '~/lib/sign-in-request';
import * as styles from '../landing.module.css';
import * as proseStyles from '../prose.module.css';
import { doAgain } from '../wish';
import { Footer } from './footer';
import { TopBar } from './top-bar';

/** The frame of every public page other than the landing page: top bar, one column of text, footer. */
export function PublicPage({ title, lede, children }: { title: string; lede: string; children: ReactNode }) {
  const session = useSyncExternalStore(subscribeSession, currentSession, () => null);
  const navigate = useNavigate();
  useHashScroll();
  const logIn = () => {
    const request: SignInRequest = { from: paths.dashboard, reason: '' };
    navigate(paths.home, { state: request });
  };
  useEarlyClick((wish) => doAgain(wish) || logIn());
  return (
    <div className={styles.landing}>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <TopBar signedIn={session !== null} onLogin={logIn} />
      <main id="content" className={`${styles.wrap} ${proseStyles.prose}`}>
        <h1>{title}</h1>
        <p className={proseStyles.proseLede}>{lede}</p>
        {children}
      </main>
      <Footer />
    </div>
  );
}
