import { Button } from '~/components/ui/button';
import * as styles from './notice.module.css';

/**
 * Where the small script speaks until React is there (features/landing/front.ts), which also clears it. What it
 * says may stand there when React comes, so React does not compare it.
 */
export function Notice() {
  return (
    <div className={styles.notice} data-notice>
      <p role="alert" suppressHydrationWarning>
        {''}
      </p>
      <Button size="sm">Close</Button>
    </div>
  );
}

/** In place of a dialog that is on its way. */
export function Coming() {
  return (
    <div className={`${styles.notice} ${styles.coming}`}>
      <p role="status">Loading what that needs...</p>
    </div>
  );
}
