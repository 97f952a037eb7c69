import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import * as fieldKit from '~/components/ui/field.module.css';
import * as styles from './stay-updated.module.css';

type Status = { kind: 'idle' | 'sending' } | { kind: 'done' | 'failed'; message: string };

/** The Stay Updated box. It keeps the address on the server that this page came from. */
export function StayUpdated() {
  const [status, setStatus] = useState<Status>({ kind: 'idle' });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get('email')).trim();
    setStatus({ kind: 'sending' });
    // Few readers subscribe, so what sends is loaded when it is needed.
    import('~/data/enquiries')
      .catch(() => {
        throw new Error('That could not be loaded. Check the network, then reload this page.');
      })
      .then(({ createEnquiry }) => createEnquiry({ kind: 'news', email }))
      .then((message) => setStatus({ kind: 'done', message }))
      .catch((cause: Error) => setStatus({ kind: 'failed', message: cause.message }));
  };
  return (
    <div className={styles.stayUpdated}>
      <h2>Stay Updated</h2>
      <p>What we shipped, what broke, what we learned.</p>
      <form onSubmit={submit} data-early-sent="news">
        <label className={fieldKit.field}>
          <span className="visually-hidden">Email</span>
          <input name="email" type="email" required placeholder="you@company.com" autoComplete="email" />
        </label>
        <Button type="submit" disabled={status.kind === 'sending' || status.kind === 'done'}>
          {status.kind === 'sending' ? 'Sending...' : 'Subscribe'}
        </Button>
      </form>
      <p role="status">{'message' in status && status.message}</p>
    </div>
  );
}
