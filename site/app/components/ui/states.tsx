import type { ReactNode } from 'react';
import { reasonOf } from '~/lib/api';
import { dateOf } from '~/lib/time/instant';
import { nightTime } from '~/lib/time/words';
import { Button } from './button';
import * as cardStyles from './card.module.css';
import { BoneRows } from './skeleton';
import * as skeletonStyles from './skeleton.module.css';
import * as styles from './states.module.css';

interface LoadingProps {
  what: string;
  /** Part of a page that says already that it loads: only who reads this very place is told. */
  quiet?: boolean;
  /** What is coming, drawn with bones. */
  children?: ReactNode;
}

/**
 * Holds the place of what is being loaded, and tells a screen reader once what that is.
 * The bones appear only after 200 ms, so that fast answers do not flicker.
 */
export function Loading({ what, quiet = false, children = <BoneRows count={4} /> }: LoadingProps) {
  return (
    <div className={skeletonStyles.loading}>
      <p className="visually-hidden" role={quiet ? undefined : 'status'}>
        Loading {what}
      </p>
      <div className={skeletonStyles.bones} aria-hidden="true">
        {children}
      </div>
    </div>
  );
}

/** One line where content would be, and one next step if there is one. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.state}>
      <p>{children}</p>
      {action}
    </div>
  );
}

/** What failed, in the product's fixed words, with the server's sentence below and a way to try again. */
export function Failed({
  children,
  detail,
  onRetry,
}: {
  children: ReactNode;
  detail?: string;
  onRetry?: () => void;
}) {
  return (
    <div className={styles.state} role="alert">
      <div>
        <p className={styles.said}>{children}</p>
        {detail && <p>{detail}</p>}
      </div>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

interface FetchFailedProps {
  of: {
    isError: boolean;
    data: unknown;
    error: Error | null;
    dataUpdatedAt: number;
    refetch: () => unknown;
  };
  /** In the product's fixed words; what the call says of itself when absent. */
  children?: ReactNode;
  /** It stands outside of any card, so it is one. */
  card?: boolean;
}

/** Says that a fetch failed: in place of what it would have brought, or above the older answer that is shown. */
export function FetchFailed({ of, children, card = false }: FetchFailedProps) {
  if (!of.isError || !of.error) return null;
  const said = children ?? of.error.message;
  const reason = reasonOf(of.error);
  const detail = reason === said ? undefined : reason;
  const retry = () => void of.refetch();
  if (of.data !== undefined) {
    const since = nightTime(dateOf(of.dataUpdatedAt), new Date());
    return (
      <div className={card ? `${styles.outdated} ${cardStyles.card}` : styles.outdated} role="alert">
        <p>
          <b>{said}.</b> Shown as of {since}. {detail && <span className="text-2">{detail}</span>}
        </p>
        <Button size="sm" onClick={retry}>
          Try again
        </Button>
      </div>
    );
  }
  const failed = (
    <Failed detail={detail} onRetry={retry}>
      {said}
    </Failed>
  );
  return card ? <div className={cardStyles.card}>{failed}</div> : failed;
}
