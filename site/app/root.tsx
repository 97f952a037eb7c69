// First, because the first style sheet of a page says the order of the layers.
import './styles/reset.css';
import './styles/tokens.css';
import './styles/base.css';
import { type ReactNode, useEffect } from 'react';
import { Links, Meta, Outlet, Scripts, ScrollRestoration, useLocation, useMatches } from 'react-router';
import * as statesKit from '~/components/ui/states.module.css';
import { Button } from './components/ui/button';
import { Toaster } from './components/ui/toaster';
import { companyMeta, companyText } from './lib/company';
import { earlyClickScript } from './lib/early-click';
import { applyTheme, subscribeTheme, themeScript } from './lib/theme';

/** The document around every page. The theme script comes first, so that nothing is drawn before it. */
export function Layout({ children }: { children: ReactNode }) {
  // Such a page is complete as it is: it has no React, and one of the documentation a script of its own.
  const still = useMatches().some(({ handle }) => (handle as { still?: boolean } | undefined)?.still);
  return (
    <html lang="en" data-theme="dark" suppressHydrationWarning>
      <head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours, and a text child would be escaped. */}
        <script dangerouslySetInnerHTML={{ __html: themeScript }} />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: another one. */}
        <script dangerouslySetInnerHTML={{ __html: earlyClickScript }} />
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="dark light" />
        {!still && <meta name={companyMeta} content={companyText()} />}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        {!still && <ScrollRestoration />}
        {!still && <Scripts />}
      </body>
    </html>
  );
}

export default function Root() {
  const { pathname } = useLocation();
  // What a page looks like with nothing stored depends on which page it is.
  useEffect(() => applyTheme(pathname), [pathname]);
  // Pages without a theme switch follow a choice made in another tab, too.
  useEffect(() => subscribeTheme(() => undefined), []);
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  );
}

/** Shown while the browser loads a page that is not prerendered: the canvas, and help without scripts. */
export function HydrateFallback() {
  return (
    <noscript>
      <p className={statesKit.state}>Nightbell needs JavaScript here. The documentation works without it.</p>
    </noscript>
  );
}

/** What is left when a page cannot be drawn: one sentence and the way out. */
export function ErrorBoundary({ error }: { error: unknown }) {
  useEffect(() => console.error(error), [error]);
  return (
    <main className={statesKit.state} role="alert">
      <p className={statesKit.said}>This page could not be shown.</p>
      <p>It may belong to an older version of the site. Reload it to get the current one.</p>
      <Button look="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    </main>
  );
}
