import type { ReactNode } from 'react';
import { Button } from './button';

/** Says what is being loaded. It appears only after 200 ms, so that fast answers do not flicker. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="state loading" role="status">
      <span className="spinner" aria-hidden="true" />
      Loading {what}
    </div>
  );
}

/** One line where content would be, and one next step if there is one. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="state">
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
    <div className="state" role="alert">
      <div>
        <p className="said">{children}</p>
        {detail && <p>{detail}</p>}
      </div>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
