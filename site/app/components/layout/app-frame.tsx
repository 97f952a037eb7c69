import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Brand } from '~/components/ui/brand';
import { IconButton } from '~/components/ui/button';
import { paths } from '~/lib/paths';
import { useSecondTap } from '~/lib/second-tap';
import { useAhead } from '../later';
import * as styles from './frame.module.css';
import { NotLive } from './not-live';

// In a file of its own: no page waits for it.
const pagesAhead = { fetch: () => import('./pages-ahead').then(({ fetchPages }) => fetchPages()) };

/** The sidebar beside the page; below 1100 px it becomes a drawer that closes when a page is chosen. */
export function AppFrame({
  sidebar,
  unacknowledged,
  children,
}: {
  sidebar: ReactNode;
  /** Null when it could not be counted, undefined while it is not yet. */
  unacknowledged: number | null | undefined;
  children: ReactNode;
}) {
  const { pathname, key } = useLocation();
  useAhead(pagesAhead);
  useSecondTap();
  // Open at the visit it was opened on, so that choosing a page closes it.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const open = openAt === key;
  const drawer = useDrawer(
    open,
    useCallback(() => setOpenAt(null), []),
  );
  const content = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    // A new page begins at its top for keyboards and screen readers too.
    if (shown.current !== pathname) content.current?.focus({ preventScroll: true });
    shown.current = pathname;
  }, [pathname]);
  return (
    <div className={styles.app} data-drawer={open ? 'open' : undefined}>
      <a className="skip-link" href="#content" inert={open}>
        Skip to content
      </a>
      {/* The drawer holds the focus, because nothing else can take it. */}
      <div ref={drawer.box} className={styles.drawer}>
        {sidebar}
        <button
          type="button"
          className={styles.scrim}
          aria-label="Close menu"
          onClick={() => setOpenAt(null)}
        />
      </div>
      <div inert={open}>
        <header className={styles.phoneBar}>
          <Brand to={paths.dashboard} />
          <IconButton
            ref={drawer.opener}
            icon="menu"
            label="Menu"
            aria-expanded={open}
            aria-controls="sidebar"
            onClick={() => setOpenAt(key)}
          />
        </header>
        <main ref={content} className={styles.main} id="content" tabIndex={-1}>
          <NotLive needed={(unacknowledged ?? 0) > 0} />
          {children}
        </main>
        <p className="visually-hidden" aria-live="polite" data-announced />
      </div>
    </div>
  );
}

// Focus goes in with opening and comes back with closing. A window that grows too wide for a drawer has none.
function useDrawer(open: boolean, close: () => void) {
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const wide = matchMedia('(min-width: 1101px)');
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && close();
    const items = [...(box.current?.querySelectorAll<HTMLElement>('nav a') ?? [])];
    (items.find((item) => item.ariaCurrent === 'page') ?? items[0])?.focus();
    document.addEventListener('keydown', onKey);
    wide.addEventListener('change', close);
    const button = opener.current;
    return () => {
      document.removeEventListener('keydown', onKey);
      wide.removeEventListener('change', close);
      button?.focus({ preventScroll: true });
    };
  }, [open, close]);
  return { box, opener };
}
