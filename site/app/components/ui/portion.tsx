import { type ReactNode, useMemo, useState } from 'react';
import { Button } from './button';
import * as styles from './filter-field.module.css';

const size = 100;

/** What the server has beyond the rows that are loaded; a list of the query cache is one. */
export interface More {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
}

interface PortionOptions {
  /** The list on the server, when it may have more than is loaded. */
  source?: More;
  /** How many rows there are with those that are not loaded, when that is known. */
  total?: number;
  /** How many are shown before the button is pressed. */
  first?: number;
}

/**
 * The first hundred rows of a list, and a button for the next hundred, so that a thousand rows cost as
 * little. Rows that are not loaded yet are fetched when it is their turn.
 */
export function usePortion<Row>(
  rows: readonly Row[],
  { source, total, first = size }: PortionOptions = {},
): { shown: readonly Row[]; more: ReactNode } {
  const [limit, setLimit] = useState(first);
  const hasUnloaded = source?.hasNextPage ?? false;
  const known = total ?? (hasUnloaded ? undefined : rows.length);
  const showMore = () => {
    if (hasUnloaded && limit + size > rows.length) source?.fetchNextPage();
    setLimit(Math.min(limit, rows.length) + size);
  };
  const more = (rows.length > limit || hasUnloaded) && (
    <MoreRows
      source={source}
      words={known ? `${Math.min(size, known - limit)} more of ${known - limit}` : `${size} more`}
      onMore={showMore}
    />
  );
  const shown = useMemo(() => (rows.length > limit ? rows.slice(0, limit) : rows), [rows, limit]);
  return { shown, more };
}

/** The button below a list that goes on. A page that did not come is said beside it. */
export function MoreRows({ source, words, onMore }: { source?: More; words: string; onMore: () => void }) {
  const waits = source?.isFetchingNextPage ?? false;
  return (
    <div className={styles.moreRows}>
      {source?.isFetchNextPageError && !waits && <p role="alert">The next rows did not load.</p>}
      <Button disabled={waits} labels={['Loading...']} onClick={onMore}>
        {waits ? 'Loading...' : `Show ${words}`}
      </Button>
    </div>
  );
}
