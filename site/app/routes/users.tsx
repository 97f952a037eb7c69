import type { UserJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Count } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneRows } from '~/components/ui/skeleton';
import { FetchFailed, Loading } from '~/components/ui/states';
import { Tabs } from '~/components/ui/tabs';
import { prefetch } from '~/data/cache';
import { invitationList } from '~/data/invitations';
import { userList } from '~/data/users';
import { InvitationTable } from '~/features/people/components/invitation-table';
import { InviteDialog } from '~/features/people/components/invite-dialog';
import { RemoveDialog } from '~/features/people/components/remove-dialog';
import { RoleDialog } from '~/features/people/components/role-dialog';
import { UserTable } from '~/features/people/components/user-table';
import * as styles from '~/features/people/components/user-table.module.css';
import { isAtLeast, mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [
    client.query(userList),
    ...(isAtLeast('admin') ? [client.query(invitationList)] : []),
  ]);
}

/** Who is in the organization, whether a page would reach them, and who was asked to join. */
export default function Users() {
  const users = useQuery(userList);
  const admin = mayAct('admin');
  const invitations = useQuery({ ...invitationList, enabled: admin });
  const [view, setView] = useState<'members' | 'invitations'>('members');
  const [inviting, setInviting] = useState(false);
  const [changing, setChanging] = useState<UserJson | null>(null);
  const [removing, setRemoving] = useState<UserJson | null>(null);
  const invite = (
    <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
      Invite people
    </Button>
  );
  const members = (
    <>
      {users.isPending && (
        <Loading what="users">
          <BoneRows count={6} />
        </Loading>
      )}
      <FetchFailed of={users}>Failed to load users</FetchFailed>
      {users.data && <UserTable users={users.data} onChangeRole={setChanging} onRemove={setRemoving} />}
    </>
  );
  return (
    <>
      <PageHead title="Users">{admin && invite}</PageHead>
      <section className={`${cardKit.card} ${styles.people}`} aria-label="People">
        {!admin && members}
        {admin && (
          <Tabs
            label="People"
            value={view}
            onChoose={setView}
            tabs={[
              { value: 'members', word: <>Members {users.data && <Count value={users.data.length} />}</> },
              {
                value: 'invitations',
                word: <>Invitations {invitations.data && <Count value={invitations.data.length} />}</>,
              },
            ]}
          >
            {view === 'members' && members}
            {view === 'invitations' && (
              <>
                {invitations.isPending && <Loading what="invitations" />}
                <FetchFailed of={invitations}>Failed to load invitations</FetchFailed>
                {invitations.data && (
                  <InvitationTable invitations={invitations.data}>
                    <Button onClick={() => setInviting(true)}>Invite people</Button>
                  </InvitationTable>
                )}
              </>
            )}
          </Tabs>
        )}
      </section>
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      {changing && <RoleDialog user={changing} onClose={() => setChanging(null)} />}
      {removing && <RemoveDialog user={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}
