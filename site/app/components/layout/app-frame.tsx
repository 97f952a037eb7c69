import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Brand } from '~/components/ui/brand';
import { IconButton } from '~/components/ui/button';
import { paths } from '~/lib/paths';
import { NotLive } from './not-live';

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
  const { pathname } = useLocation();
  // Open on the page it was opened on, so that choosing another page closes it.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const open = openAt === pathname;
  const setOpen = useCallback((wanted: boolean) => setOpenAt(wanted ? pathname : null), [pathname]);
  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open, setOpen]);
  const content = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    // A new page begins at its top for keyboards and screen readers too.
    if (shown.current !== pathname) content.current?.focus({ preventScroll: true });
    shown.current = pathname;
  }, [pathname]);
  return (
    <div className={open ? 'app drawer-open' : 'app'}>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      {sidebar}
      <div>
        <header className="phone-bar">
          <Brand to={paths.dashboard} />
          <IconButton
            icon="menu"
            label="Menu"
            aria-expanded={open}
            aria-controls="sidebar"
            onClick={() => setOpen(!open)}
          />
        </header>
        <button type="button" className="scrim" aria-label="Close menu" onClick={() => setOpen(false)} />
        <main ref={content} className="main" id="content" tabIndex={-1}>
          <NotLive needed={(unacknowledged ?? 0) > 0} />
          {children}
        </main>
      </div>
    </div>
  );
}
