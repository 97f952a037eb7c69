import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { dismissToast, type Standing, subscribeToast, takeToasts, toastsAt } from '~/lib/toast';
import { Button, IconButton } from './button';
import { Icon } from './icon';
import * as styles from './toaster.module.css';

const lifetime = 5000;
const mostFailures = 3;
const none: readonly Standing[] = [];

/**
 * Shows the messages in the top layer; every modal dialog has one of its own, because what is outside
 * of it is inert. Failures stay until closed, the newest lowest. Empty, it is still in the page: screen
 * readers announce what is added to a region that they know, and here only that, not all that stands.
 */
export function Toaster() {
  const ref = useRef<HTMLDivElement>(null);
  const messages = useSyncExternalStore(
    subscribeToast,
    () => toastsAt(ref),
    () => none,
  );
  const newest = messages.at(-1)?.serial;
  const failures = messages.filter(({ kind }) => kind === 'failure');
  const passing = messages.find(({ kind }) => kind !== 'failure');
  const passes = passing?.serial;
  const more = Math.max(0, failures.length - mostFailures);
  useLayoutEffect(() => takeToasts(ref), []);
  // Shown again it is above what came into the top layer meanwhile.
  useEffect(() => {
    ref.current?.hidePopover?.();
    if (newest !== undefined) ref.current?.showPopover?.();
  }, [newest]);
  useEffect(() => {
    if (passes === undefined) return;
    const timer = setTimeout(() => dismissToast(passes), lifetime);
    return () => clearTimeout(timer);
  }, [passes]);
  return (
    <div
      ref={ref}
      popover="manual"
      className={styles.toaster}
      role="status"
      aria-live="polite"
      aria-atomic="false"
    >
      {more > 0 && (
        <p className={styles.more}>
          {more === 1
            ? '1 more failure. Close one to see it.'
            : `${more} more failures. Close one to see them.`}
        </p>
      )}
      {failures.slice(-mostFailures).map((message) => (
        <Message key={message.serial} message={message} />
      ))}
      {passing && <Message key={passing.serial} message={passing} />}
    </div>
  );
}

function Message({ message }: { message: Standing }) {
  const { kind, title, name, detail, retry, serial } = message;
  return (
    <div className={styles.toast} data-kind={kind}>
      <Icon name={kind === 'failure' ? 'alert' : 'check'} />
      <div className="grow">
        <p className={detail || name ? 'strong' : undefined}>{title}</p>
        {(detail || name) && (
          <p className="text-2">
            {name && <b className="mono strong">{name}</b>} {detail}
          </p>
        )}
      </div>
      {retry && (
        <Button
          size="sm"
          onClick={() => {
            dismissToast(serial);
            retry();
          }}
        >
          Retry
        </Button>
      )}
      {kind === 'failure' && (
        <IconButton icon="x" label="Close message" size="sm" onClick={() => dismissToast(serial)} />
      )}
    </div>
  );
}
