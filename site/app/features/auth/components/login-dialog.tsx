import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { startSession } from '~/lib/session-change';
import { mailsLinks } from '../api/forgotten';
import { login } from '../api/login';
import { ForgottenForm } from './forgotten-form';

type Status = { kind: 'idle' | 'pending' | 'success' } | { kind: 'error'; message: string };

interface LoginDialogProps {
  /** Why the dialog opened by itself, if it did. */
  reason?: string;
  /** The address of an account that was made a moment ago. */
  registered?: string;
  /** Called 1.5 seconds after the sign-in succeeded and was stored. */
  onSignedIn: () => void;
  onClose: () => void;
}

const redirectAfter = 1500;
const labels = {
  idle: 'Log in',
  error: 'Log in',
  pending: 'authenticating...',
  success: 'redirecting...',
} as const;

const registeredWords =
  'Log in with your new account. When a mail asks you to confirm the address, open its link: pages are sent to it from then on.';

/** Signs in with e-mail and password. */
export function LoginDialog({ reason, registered, onSignedIn, onClose }: LoginDialogProps) {
  const [status, setStatus] = useState<Status>({ kind: 'idle' });
  useEffect(() => {
    if (status.kind !== 'success') return;
    const timer = setTimeout(onSignedIn, redirectAfter);
    return () => clearTimeout(timer);
  }, [status.kind, onSignedIn]);
  const [forgotten, setForgotten] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const forget = () => {
    const email = String(new FormData(form.current ?? undefined).get('email') ?? '');
    mailsLinks()
      .catch(() => false)
      .then((mails) => (mails ? setForgotten(email) : explainReset()));
  };
  if (forgotten !== null) {
    return (
      <Dialog key="forgotten" title="Forgotten password" narrow saving={false} onClose={onClose}>
        <ForgottenForm email={forgotten} onBack={() => setForgotten(null)} />
      </Dialog>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setStatus({ kind: 'pending' });
    login(String(form.get('email')).trim(), String(form.get('password')))
      .then((session) => {
        startSession(session);
        setStatus({ kind: 'success' });
      })
      .catch((cause: Error) => setStatus({ kind: 'error', message: cause.message }));
  };
  return (
    <Dialog title="Log in" narrow saving={status.kind === 'pending'} onClose={onClose}>
      <form ref={form} onSubmit={submit}>
        {status.kind === 'error' && <Banner tone="failed">{status.message}</Banner>}
        {status.kind === 'idle' && reason && <Banner tone="">{reason}</Banner>}
        {status.kind === 'idle' && registered && <Banner tone="">{registeredWords}</Banner>}
        <TextField
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={registered}
          required
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <Button
          type="submit"
          look="primary"
          size="lg"
          labels={Object.values(labels)}
          disabled={status.kind === 'pending' || status.kind === 'success'}
        >
          {labels[status.kind]}
        </Button>
        <p className={dialogKit.note}>
          <button type="button" className="link" onClick={forget}>
            Forgot password?
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function explainReset(): void {
  alert('To reset your password, please contact support.');
}
