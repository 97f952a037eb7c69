import { Button } from '~/components/ui/button';
import { Icon } from '~/components/ui/icon';
import { type Freshness, useFreshness } from '~/lib/freshness';
import { dateOf } from '~/lib/time/instant';
import { nightTime } from '~/lib/time/words';
import * as styles from './not-live.module.css';

/** A thin bar that says that the page may be old, and why; amber only while incidents are unacknowledged. */
export function NotLive({ needed }: { needed: boolean }) {
  const { freshness, tryAgain } = useFreshness();
  // The region is there before its text, or a screen reader says nothing.
  return (
    <div className={styles.notLiveRegion} role="status">
      {freshness.kind !== 'fresh' && (
        <div className={needed ? `${styles.notLive} ${styles.needed}` : styles.notLive}>
          <Icon name="refresh" />
          <span className="grow">{wordsOf(freshness)}</span>
          {freshness.kind === 'failed' && (
            <Button size="sm" onClick={tryAgain}>
              Try again
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function wordsOf(freshness: Exclude<Freshness, { kind: 'fresh' }>): string {
  const since = freshness.since > 0 ? nightTime(dateOf(freshness.since), new Date()) : '';
  if (freshness.kind === 'waiting') return `Waiting for the server since ${since}. This page may be old.`;
  if (freshness.kind === 'silent')
    return since ? `Not live. Last update ${since}.` : 'Not live. Connecting to the server.';
  return since
    ? `Not up to date. Parts of this page are from ${since}.`
    : 'Parts of this page could not be loaded.';
}
