import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { askForLink } from '../api/forgotten';

type Status = { kind: 'idle' | 'pending' } | { kind: 'done' | 'failed'; message: string };

/** Asks for the link by which a forgotten password is replaced. */
export function ForgottenForm({ email, onBack }: { email: string; onBack: () => void }) {
  const [status, setStatus] = useState<Status>({ kind: 'idle' });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setStatus({ kind: 'pending' });
    askForLink(String(new FormData(event.currentTarget).get('email')).trim())
      .then((message) => setStatus({ kind: 'done', message }))
      .catch((cause: Error) => setStatus({ kind: 'failed', message: cause.message }));
  };
  return (
    <form onSubmit={submit}>
      {(status.kind === 'done' || status.kind === 'failed') && (
        <Banner tone={status.kind}>{status.message}</Banner>
      )}
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email}
      />
      <Button
        type="submit"
        look="primary"
        size="lg"
        labels={['Send the link', 'sending...']}
        disabled={status.kind === 'pending' || status.kind === 'done'}
      >
        {status.kind === 'pending' ? 'sending...' : 'Send the link'}
      </Button>
      <p className={dialogKit.note}>
        <button type="button" className="link" onClick={onBack}>
          Back to log in
        </button>
      </p>
    </form>
  );
}
