import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { Brand } from '~/components/ui/brand';
import { ButtonLink } from '~/components/ui/button';
import { paths } from '~/lib/paths';
import * as styles from './not-found.module.css';

/**
 * No React takes the page over, which the server sends for any path: it would draw what the path could
 * be, and at one of the documentation load it again without end.
 */
export const handle = { still: true };

export function meta() {
  return [{ title: 'Page not found - Nightbell' }, { name: 'robots', content: 'noindex' }];
}

/** Any path that is no page. The server answers it with 404 and logs it; a link inside the site logs here. */
export default function NotFound() {
  const { pathname } = useLocation();
  useEffect(() => console.error('404: no page at', pathname), [pathname]);
  return (
    <main className={styles.notFound}>
      <Brand to={paths.home} />
      <div>
        <p className={`mono ${styles.code404}`}>404</p>
        <h1>Oops! Page not found</h1>
        <p>Nothing answers at this address. It may have moved, or the link was cut off on its way to you.</p>
        <ButtonLink to={paths.home} look="primary" size="lg">
          Return to Home
        </ButtonLink>
      </div>
    </main>
  );
}
