import type { UserJson } from '@nightbell/proto';
import { useQueryClient } from '@tanstack/react-query';
import { DraftProblem } from '~/components/draft-problem';
import { Avatar } from '~/components/ui/avatar';
import { Card } from '~/components/ui/card';
import { TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { ZoneField } from '~/components/ui/zone-field';
import { useHues } from '~/data/members';
import { profile, useUpdateUser } from '~/data/users';
import { useDraft } from '~/lib/draft';
import type { FieldWords } from '~/lib/edits';
import { currentSession } from '~/lib/session';
import { replaceUser } from '~/lib/session-change';
import { toast } from '~/lib/toast';
import { capitalised } from '~/lib/words';
import * as styles from './settings.module.css';

interface Profile {
  name: string;
  zone: string;
  phone: string;
}

/** The reader's own name, zone and telephone number. */
export function ProfileCard({ user }: { user: UserJson }) {
  const client = useQueryClient();
  const hueOf = useHues();
  const edit = useDraft({
    stored: user,
    what: 'profile',
    follows: true,
    draftOf: toProfile,
    request: ({ name, zone, phone }, { id = '', etag }) => ({
      id,
      etag,
      name: name.trim(),
      phone: phone.trim(),
      timezone: zone,
    }),
    save: useUpdateUser(),
    storedBy: ({ user: saved }) => saved ?? user,
    onSaved: ({ user: saved }) => {
      const session = currentSession();
      if (session && saved?.name) replaceUser(session, { ...session.user, name: saved.name });
      toast({ kind: 'success', title: 'Profile saved.' });
    },
    fetchNow: () => client.query({ ...profile(user.id ?? ''), staleTime: 0 }),
    words: () => profileWords,
  });
  const { draft, set, text } = edit;
  return (
    <Card title="Profile">
      <form className={styles.form} onSubmit={edit.submit}>
        <div className={styles.who}>
          <Avatar name={user.name ?? ''} hue={hueOf(user.id)} large />
          <div>
            <p className="strong">{user.email}</p>
            <p className="text-3 size-12">
              {capitalised(user.role ?? '')}. The picture is made of your initials.
            </p>
          </div>
        </div>
        <DraftProblem of={edit} />
        <TextField label="Name" autoComplete="name" maxLength={200} required {...text('name')} />
        <ZoneField label="Time zone" value={draft.zone} onChange={(zone) => set({ zone })} />
        <TextField label="Phone" optional type="tel" autoComplete="tel" maxLength={40} {...text('phone')} />
        <Submit pending={edit.pending} doing="Saving profile...">
          Save profile
        </Submit>
      </form>
    </Card>
  );
}

function toProfile({ name = '', timezone, phone = '' }: UserJson): Profile {
  return { name, zone: timezone || 'UTC', phone };
}

const profileWords: readonly FieldWords<Profile>[] = [
  { label: 'Name', stored: ({ name }) => name, words: ({ name }) => name },
  { label: 'Time zone', stored: ({ zone }) => zone, words: ({ zone }) => zone },
  { label: 'Phone', stored: ({ phone }) => phone, words: ({ phone }) => phone },
];
