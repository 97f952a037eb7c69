import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { Brand } from '~/components/ui/brand';
import { Button } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import { TextField } from '~/components/ui/field';
import { resetPassword } from '~/features/auth/api/forgotten';
import { paths } from '~/lib/paths';
import * as styles from './invitation.module.css';
import * as page from './not-found.module.css';

export function meta() {
  return [{ title: 'New password - Nightbell' }, { name: 'robots', content: 'noindex' }];
}

type Status = { kind: 'idle' | 'pending' } | { kind: 'done' | 'failed'; message: string };

/** Where the link for a forgotten password leads. The token stands after #, which browsers send to no server. */
export default function ResetPassword() {
  const token = useLocation().hash.slice(1);
  const [status, setStatus] = useState<Status>(
    token === ''
      ? { kind: 'failed', message: 'The end of the link is missing. Open it again from the mail.' }
      : { kind: 'idle' },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setStatus({ kind: 'pending' });
    resetPassword(token, String(new FormData(event.currentTarget).get('password')))
      .then((message) => setStatus({ kind: 'done', message }))
      .catch((cause: Error) => setStatus({ kind: 'failed', message: cause.message }));
  };
  return (
    <main className={`${page.notFound} ${styles.invitation}`}>
      <Brand to={paths.home} />
      <div>
        <h1>{status.kind === 'done' ? 'Password changed' : 'Set a new password'}</h1>
        {(status.kind === 'done' || status.kind === 'failed') && (
          <Banner tone={status.kind}>{status.message}</Banner>
        )}
        {status.kind === 'done' && (
          <p>
            <Link to={paths.home}>To the front page</Link>
          </p>
        )}
        {status.kind !== 'done' && token !== '' && (
          <form onSubmit={submit}>
            <TextField
              label="New password, 12 characters or more"
              name="password"
              type="password"
              autoComplete="new-password"
              required
            />
            <Button type="submit" look="primary" size="lg" disabled={status.kind === 'pending'}>
              {status.kind === 'pending' ? 'saving...' : 'Set password'}
            </Button>
          </form>
        )}
      </div>
    </main>
  );
}
