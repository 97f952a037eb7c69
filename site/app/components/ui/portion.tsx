import { type ReactNode, useState } from 'react';
import { Button } from './button';
import './filter-field.css';

const size = 100;

/** The first hundred rows of a list, and a button for the next hundred, so that a thousand rows cost as little. */
export function usePortion<Row>(rows: readonly Row[]): { shown: readonly Row[]; more: ReactNode } {
  const [limit, setLimit] = useState(size);
  const left = rows.length - limit;
  const more = left > 0 && (
    <div className="more-rows">
      <Button onClick={() => setLimit(limit + size)}>{`Show ${Math.min(size, left)} more of ${left}`}</Button>
    </div>
  );
  return { shown: left > 0 ? rows.slice(0, limit) : rows, more };
}
