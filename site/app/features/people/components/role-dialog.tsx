import type { UserJson } from '@nightbell/proto';
import { type FormEvent, useState } from 'react';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { Submit } from '~/components/ui/submit';
import { useUpdateUser } from '~/data/users';
import { reasonOf } from '~/lib/api';
import { currentSession } from '~/lib/session';
import { givenBy } from '../model/person';
import { RoleChoice } from './role-choice';

/** Changes what somebody may do. It takes effect within five seconds, on pages that are open too. */
export function RoleDialog({ user, onClose }: { user: UserJson; onClose: () => void }) {
  const save = useUpdateUser();
  const [role, setRole] = useState(user.role ?? 'responder');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ id: user.id ?? '', etag: user.etag, role }, { onSuccess: onClose });
  };
  return (
    <Dialog title={`Role of ${user.name}`} saving={save.isPending} onClose={onClose}>
      <form onSubmit={submit}>
        {save.isError && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
        <RoleChoice roles={givenBy(currentSession()?.user.role)} value={role} onChoose={setRole} />
        <Submit size="lg" pending={save.isPending} disabled={role === user.role} doing="Saving role...">
          Save role
        </Submit>
        <p className={dialogKit.note}>It holds within five seconds, wherever {user.name} is signed in.</p>
      </form>
    </Dialog>
  );
}
