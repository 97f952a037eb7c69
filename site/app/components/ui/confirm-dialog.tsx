import type { MouseEvent, ReactNode } from 'react';
import { reasonOf } from '~/lib/api';
import { Button } from './button';
import { Banner, Dialog } from './dialog';
import * as styles from './dialog.module.css';
import type { IconName } from './icon';

interface ConfirmDialogProps {
  title: string;
  /** What is done, as the button says it: "Delete team". */
  verb: string;
  /** What the button says meanwhile. */
  doing?: string;
  /** The way back; it does nothing. */
  back?: string;
  look?: 'danger' | 'primary';
  icon?: IconName;
  pending?: boolean;
  /** Whether it is being done, when that is not the only reason to wait. */
  busy?: boolean;
  /** Why it did not work the last time. */
  error?: Error | null;
  onConfirm?: (event: MouseEvent) => void;
  onClose?: () => void;
  /** What will happen, in a sentence or two. */
  children: ReactNode;
}

/** Asks once before something that cannot be taken back. It stays open, saying why, when that fails. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    verb,
    doing,
    back = 'Cancel',
    look = 'danger',
    icon,
    pending,
    busy = pending === true,
    error,
  } = props;
  const close = () => props.onClose?.();
  return (
    <Dialog title={title} narrow saving={busy} onClose={close}>
      <div className={styles.body}>
        {error && <Banner tone="failed">{reasonOf(error)}</Banner>}
        {props.children}
        <div className={styles.choices}>
          <Button disabled={busy} onClick={close}>
            {back}
          </Button>
          <Button
            look={look}
            icon={icon}
            disabled={pending}
            labels={doing ? [verb, doing] : undefined}
            onClick={props.onConfirm}
          >
            {busy && doing ? doing : verb}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
