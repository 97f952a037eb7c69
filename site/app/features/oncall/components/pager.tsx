import { useState } from 'react';
import { IconButton } from '~/components/ui/button';
import * as styles from './pager.module.css';

/** One page of a long list, and which it is. The page stays within the list when that gets shorter. */
export function usePages<T>(list: readonly T[], size: number) {
  const [wanted, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(list.length / size) - 1);
  const page = Math.min(wanted, last);
  const first = page * size;
  return { shown: list.slice(first, first + size), first, page, last, total: list.length, setPage };
}

/** Which rows are shown, and the way to the others; nothing when all are. */
export function Pager({ pages, what }: { pages: ReturnType<typeof usePages>; what: string }) {
  const { shown, first, page, last, total, setPage } = pages;
  if (last === 0) return null;
  const number = new Intl.NumberFormat('en');
  return (
    <nav className={styles.pager} aria-label={`Pages of ${what}`}>
      <span role="status">
        {first + 1} to {first + shown.length} of {number.format(total)} {what}
      </span>
      <IconButton
        icon="chevron-left"
        label="Previous page"
        look="plain"
        size="sm"
        disabled={page === 0}
        onClick={() => setPage(page - 1)}
      />
      <IconButton
        icon="chevron-right"
        label="Next page"
        look="plain"
        size="sm"
        disabled={page === last}
        onClick={() => setPage(page + 1)}
      />
    </nav>
  );
}
