import type { UserJson } from '@nightbell/proto';
import { type FormEvent, useState } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { Card } from '~/components/ui/card';
import { Banner } from '~/components/ui/dialog';
import { TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { ZoneField } from '~/components/ui/zone-field';
import { useHues } from '~/data/members';
import { useUpdateUser } from '~/data/users';
import { reasonOf } from '~/lib/api';
import { currentSession } from '~/lib/session';
import { replaceUser } from '~/lib/session-change';
import { toast } from '~/lib/toast';
import { capitalised } from '~/lib/words';
import * as styles from './settings.module.css';

/** The reader's own name, zone and telephone number. */
export function ProfileCard({ user }: { user: UserJson }) {
  const save = useUpdateUser();
  const hueOf = useHues();
  const [zone, setZone] = useState(user.timezone || 'UTC');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    save.mutate(
      { id: user.id ?? '', etag: user.etag, name: text('name'), phone: text('phone'), timezone: zone },
      {
        onSuccess: ({ user: saved }) => {
          const session = currentSession();
          if (session && saved?.name) replaceUser(session, { ...session.user, name: saved.name });
          toast({ kind: 'success', title: 'Profile saved.' });
        },
      },
    );
  };
  return (
    <Card title="Profile">
      <form key={user.etag} className={styles.form} onSubmit={submit}>
        <div className={styles.who}>
          <Avatar name={user.name ?? ''} hue={hueOf(user.id)} large />
          <div>
            <p className="strong">{user.email}</p>
            <p className="text-3 size-12">
              {capitalised(user.role ?? '')}. The picture is made of your initials.
            </p>
          </div>
        </div>
        {save.isError && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
        <TextField
          label="Name"
          name="name"
          autoComplete="name"
          maxLength={200}
          required
          defaultValue={user.name}
        />
        <ZoneField label="Time zone" value={zone} onChange={setZone} />
        <TextField
          label="Phone"
          optional
          name="phone"
          type="tel"
          autoComplete="tel"
          maxLength={40}
          defaultValue={user.phone}
        />
        <Submit pending={save.isPending} doing="Saving profile...">
          Save profile
        </Submit>
      </form>
    </Card>
  );
}
