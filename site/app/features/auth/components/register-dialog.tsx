import { type FormEvent, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField, TextField } from '~/components/ui/field';
import { Segmented } from '~/components/ui/segmented';
import { paths } from '~/lib/paths';
import { timezones } from '~/lib/time/timezones';
import { register } from '../api/register';
import { type Plan, registrationOf, type UserType } from '../model/registration';

type Status =
  | { kind: 'idle' | 'loading' }
  | { kind: 'success'; email: string }
  | { kind: 'error'; message: string };

const closeAfter = 2000;
const labels = {
  idle: 'Create account',
  error: 'Create account',
  loading: 'registering...',
  success: 'registered!',
} as const;
const userTypes = [
  { value: 'individual', content: 'Individual' },
  { value: 'organization', content: 'Organization' },
] as const;

const planWords: Record<Plan, string> = {
  starter: 'Starter: free, for up to 5 team members.',
  professional: 'Professional: free for 14 days. No setup fees, cancel anytime.',
};

interface RegisterDialogProps {
  plan?: Plan;
  /** Called in place of onClose two seconds after success, with the address to log in with. */
  onRegistered: (email: string) => void;
  onClose: () => void;
}

/** Creates an account. Two seconds after success the dialog closes; the next one starts empty. */
export function RegisterDialog({ plan, onRegistered, onClose }: RegisterDialogProps) {
  const [userType, setUserType] = useState<UserType>('individual');
  const [status, setStatus] = useState<Status>({ kind: 'idle' });
  useEffect(() => {
    if (status.kind !== 'success') return;
    const timer = setTimeout(onRegistered, closeAfter, status.email);
    return () => clearTimeout(timer);
  }, [status, onRegistered]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setStatus({ kind: 'loading' });
    const registration = registrationOf(userType, new FormData(event.currentTarget), plan);
    register(registration)
      .then(() => setStatus({ kind: 'success', email: registration.email }))
      .catch((cause: Error) => setStatus({ kind: 'error', message: cause.message }));
  };
  return (
    <Dialog title="Create your account" saving={status.kind === 'loading'} onClose={onClose}>
      <form onSubmit={submit}>
        {status.kind === 'error' && <Banner tone="failed">{status.message}</Banner>}
        {status.kind === 'success' && <Banner tone="done">Account created! Welcome to Nightbell.</Banner>}
        {plan && status.kind === 'idle' && <p className="text-2">{planWords[plan]}</p>}
        <Segmented
          label="Account type"
          look="wide"
          choices={userTypes}
          value={userType}
          onChoose={setUserType}
        />
        <Fields userType={userType} />
        <Button
          type="submit"
          look="primary"
          size="lg"
          labels={Object.values(labels)}
          disabled={status.kind === 'loading' || status.kind === 'success'}
        >
          {labels[status.kind]}
        </Button>
        <p className={dialogKit.note}>
          By registering you agree to the{' '}
          <Link to={paths.terms} target="_blank">
            Terms of Service
          </Link>
          .
        </p>
      </form>
    </Dialog>
  );
}

function Fields({ userType }: { userType: UserType }) {
  return (
    <>
      <TextField label="Name" name="name" autoComplete="name" required />
      {userType === 'organization' && (
        <TextField label="Organization name" name="org_name" autoComplete="organization" required />
      )}
      <TextField label="Email" name="email" type="email" autoComplete="email" required />
      <TextField label="Password" name="password" type="password" autoComplete="new-password" required />
      <div className={dialogKit.sideBySide}>
        <TextField label="Phone" name="phone" type="tel" autoComplete="tel" optional />
        <SelectField label="Timezone" name="timezone" options={timezones} defaultValue="UTC" />
      </div>
    </>
  );
}
