import { type FormEvent, useEffect, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import { TextField } from '~/components/ui/field';
import { worthRepeating } from '~/lib/query-client';
import type { Session } from '~/lib/session';
import { readersZone } from '~/lib/time/zone';
import { acceptInvitation, type Invited, readInvitation } from '../api/invitation';

type Reading =
  | { kind: 'loading' }
  | { kind: 'open'; invited: Invited }
  | { kind: 'closed' | 'failed'; message: string };

/** Shows what an invitation is for, and joins by it. */
export function AcceptInvitation({
  token,
  onJoined,
}: {
  token: string;
  onJoined: (session: Session) => void;
}) {
  const [reading, setReading] = useState<Reading>({ kind: 'loading' });
  const [attempt, setAttempt] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt reads it again.
  useEffect(() => {
    let gone = false;
    const show = (next: Reading) => gone || setReading(next);
    readInvitation(token)
      .then((invited) => show({ kind: 'open', invited }))
      // A server that is away says nothing of the link.
      .catch((cause: Error) =>
        show({ kind: worthRepeating(cause) ? 'failed' : 'closed', message: cause.message }),
      );
    return () => {
      gone = true;
    };
  }, [token, attempt]);
  if (reading.kind === 'loading') return <p role="status">Reading the invitation…</p>;
  if (reading.kind === 'open')
    return <JoinForm token={token} invited={reading.invited} onJoined={onJoined} />;
  const again = () => {
    setReading({ kind: 'loading' });
    setAttempt(attempt + 1);
  };
  return (
    <>
      <h1>{reading.kind === 'failed' ? 'The invitation could not be read' : 'This link leads nowhere'}</h1>
      <Banner tone="failed">{reading.message}</Banner>
      {reading.kind === 'failed' && <Button onClick={again}>Try again</Button>}
    </>
  );
}

interface JoinFormProps {
  token: string;
  invited: Invited;
  onJoined: (session: Session) => void;
}

function JoinForm({ token, invited, onJoined }: JoinFormProps) {
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = String(form.get('password'));
    const timeZone = readersZone();
    const who = invited.has_account ? {} : { name: String(form.get('name')).trim(), timezone: timeZone };
    setPending(true);
    setRefusal('');
    acceptInvitation({ token, password, ...who })
      .then(onJoined)
      .catch((cause: Error) => {
        setRefusal(cause.message);
        setPending(false);
      });
  };
  return (
    <>
      <h1>Join {invited.org_name}</h1>
      <p>
        {invited.invited_by_name ? `${invited.invited_by_name} asks you` : 'You are asked'} to join as{' '}
        {invited.role}, with the address {invited.email}.
        {invited.has_account && ' It has an account already: its password is enough.'}
      </p>
      <form onSubmit={submit}>
        {refusal !== '' && <Banner tone="failed">{refusal}</Banner>}
        <input type="hidden" name="email" autoComplete="username" value={invited.email} />
        {!invited.has_account && <TextField label="Name" name="name" autoComplete="name" required />}
        <TextField
          label={invited.has_account ? 'Password' : 'Password, 12 characters or more'}
          name="password"
          type="password"
          autoComplete={invited.has_account ? 'current-password' : 'new-password'}
          required
        />
        <Button type="submit" look="primary" size="lg" disabled={pending}>
          {pending ? 'joining...' : `Join ${invited.org_name}`}
        </Button>
      </form>
    </>
  );
}
