import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { IconButton } from './button';
import * as styles from './dialog.module.css';
import { Icon } from './icon';
import { Toaster } from './toaster';

/**
 * A modal on the native <dialog>: it is open while it is mounted. Escape and the close button
 * call `onClose`, but not while it saves: what comes of that, perhaps a secret, has to be seen.
 * Focus starts in the first field; the browser holds it inside and gives it back.
 */
export function Dialog({
  title,
  narrow = false,
  saving,
  onClose,
  children,
}: {
  title: string;
  narrow?: boolean;
  /** Whether something that was asked for in it has no answer yet. Every call ends: see its `timeout`. */
  saving: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [held, setHeld] = useState(false);
  if (held && !saving) setHeld(false);
  const close = () => (saving ? setHeld(true) : onClose());
  // A layout effect, because only a dialog that is still in the page gives the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser would focus the close button, which comes first.
    dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={narrow ? `${styles.dialog} ${styles.narrow}` : styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      // A second Escape closes it whatever the first was told.
      onClose={({ currentTarget: dialog }) => {
        if (dialog.open) return;
        if (saving) dialog.showModal();
        close();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="x" label="Close" onClick={close} />
      </header>
      {saving && (
        <p className={styles.held} role="status">
          {held && 'Still under way: closing would not stop it. What comes of it shows here.'}
        </p>
      )}
      {children}
      <Toaster />
    </dialog>
  );
}

/** The result of what a dialog tried, above its fields. It is read aloud when it appears. */
export function Banner({ tone, children }: { tone: 'failed' | 'done' | ''; children: ReactNode }) {
  return (
    <div className={styles.banner} data-tone={tone} role={tone === 'failed' ? 'alert' : 'status'}>
      <Icon name={tone === 'done' ? 'check' : 'alert'} />
      <div>{children}</div>
    </div>
  );
}
