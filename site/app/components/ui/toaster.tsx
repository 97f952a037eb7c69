import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { dismissToast, subscribeToast, type Toast, takeToasts, toastAt } from '~/lib/toast';
import { Button, IconButton } from './button';
import { Icon } from './icon';
import * as styles from './toaster.module.css';

const lifetime = 5000;

/**
 * Shows the newest toast in the top layer; every modal dialog has one of its own, because what is
 * outside of it is inert. Failures stay until closed. Empty, it is still in the page: screen readers
 * announce what changes in a region that they know.
 */
export function Toaster() {
  const ref = useRef<HTMLDivElement>(null);
  const message = useSyncExternalStore(
    subscribeToast,
    () => toastAt(ref),
    () => null,
  );
  useLayoutEffect(() => takeToasts(ref), []);
  useEffect(() => {
    ref.current?.hidePopover?.();
    if (message) ref.current?.showPopover?.();
    if (!message || message.kind === 'failure') return;
    const timer = setTimeout(dismissToast, lifetime);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <div ref={ref} popover="manual" className={styles.toaster} role="status" aria-live="polite">
      {message && <Message message={message} />}
    </div>
  );
}

function Message({ message }: { message: Toast }) {
  return (
    <div className={styles.toast} data-kind={message.kind}>
      <Icon name={message.kind === 'failure' ? 'alert' : 'check'} />
      <div className="grow">
        <p className={message.detail ? 'strong' : undefined}>{message.title}</p>
        {message.detail && <p className="text-2">{message.detail}</p>}
      </div>
      {message.retry && (
        <Button
          size="sm"
          onClick={() => {
            dismissToast();
            message.retry?.();
          }}
        >
          Retry
        </Button>
      )}
      {message.kind === 'failure' && (
        <IconButton icon="x" label="Close message" size="sm" onClick={dismissToast} />
      )}
    </div>
  );
}
