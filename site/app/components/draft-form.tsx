import { type FormEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import * as dialogKit from '~/components/ui/dialog.module.css';

interface DraftFormProps {
  of: { pending: boolean; submit: (event: FormEvent) => void };
  className?: string;
  children: ReactNode;
}

/** The form of a draft in a dialog, which closes once it is stored: nothing is written in it meanwhile. */
export function DraftForm({ of: { pending, submit }, className, children }: DraftFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const left = useRef<Element | null>(null);
  // The browser takes the focus from what is disabled. Who is refused goes on where they were.
  useLayoutEffect(() => {
    const focused = document.activeElement;
    if (pending) left.current = form.current?.contains(focused) ? focused : null;
    else if (left.current instanceof HTMLElement && !form.current?.contains(focused)) left.current.focus();
  }, [pending]);
  return (
    <form ref={form} className={className} onSubmit={submit}>
      <fieldset className={dialogKit.whole} disabled={pending}>
        {children}
      </fieldset>
    </form>
  );
}
