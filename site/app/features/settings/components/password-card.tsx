import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { useChangePassword } from '~/data/account';
import { reasonOf } from '~/lib/api';
import { toast } from '~/lib/toast';
import { OwnPassword } from './own-password';
import * as styles from './settings.module.css';

/** The password of the account, and the way to another. */
export function PasswordCard() {
  const [open, setOpen] = useState(false);
  return (
    <Card title="Password">
      <ul className={styles.rows}>
        <li>
          <div className="grow">
            <p>Changing it signs out all other devices.</p>
          </div>
          <Button onClick={() => setOpen(true)}>Change password</Button>
        </li>
      </ul>
      {open && <PasswordDialog onClose={() => setOpen(false)} />}
    </Card>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const change = useChangePassword();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    change.mutate(
      { old_password: String(form.get('old')), new_password: String(form.get('new')) },
      {
        onSuccess: ({ ended_count = 0 }) => {
          const devices = ended_count === 1 ? '1 other device' : `${ended_count} other devices`;
          const others = ended_count === 0 ? '' : ` ${devices} signed out.`;
          toast({ kind: 'success', title: `Password changed.${others}` });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Change password" narrow saving={change.isPending} onClose={onClose}>
      <form onSubmit={submit}>
        {change.isError && <Banner tone="failed">{reasonOf(change.error)}</Banner>}
        <OwnPassword label="Password until now" name="old" />
        <TextField
          label="New password, 12 characters or more"
          name="new"
          type="password"
          autoComplete="new-password"
          required
        />
        <Submit size="lg" pending={change.isPending} doing="Changing password...">
          Change password
        </Submit>
        <p className={dialogKit.note}>All other devices are signed out.</p>
      </form>
    </Dialog>
  );
}
