import type { InvitationJson } from '@nightbell/proto';
import { useState } from 'react';
import { Button } from '~/components/ui/button';
import { usePortion } from '~/components/ui/portion';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { useInvite, useRevokeInvitation } from '~/data/invitations';
import { reasonOf } from '~/lib/api';
import { capitalised, fullTime, relativeTime } from '~/lib/format';
import { toast } from '~/lib/toast';
import * as styles from './invitation-table.module.css';
import { LinksDialog, type MadeLink } from './invite-dialog';

/** The invitations that nobody has accepted yet. */
export function InvitationTable({
  invitations,
  children,
}: {
  invitations: readonly InvitationJson[];
  children: React.ReactNode;
}) {
  const { shown, more } = usePortion(invitations);
  const [link, setLink] = useState<MadeLink | null>(null);
  if (invitations.length === 0) return <Empty action={children}>No invitation waits.</Empty>;
  return (
    <>
      <table className={`${tableKit.table} ${styles.invitationTable}`} aria-label="Invitations">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Role</th>
            <th scope="col">Sent</th>
            <th scope="col">Expires</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} onLink={setLink} />
          ))}
        </tbody>
      </table>
      {more}
      {link && <LinksDialog links={[link]} onClose={() => setLink(null)} />}
    </>
  );
}

function InvitationRow({
  invitation,
  onLink,
}: {
  invitation: InvitationJson;
  onLink: (link: MadeLink) => void;
}) {
  const { id = '', email = '', role = '', send = '', expires_at } = invitation;
  const again = useInvite();
  const revoke = useRevokeInvitation();
  const failed = (error: Error) => toast({ kind: 'failure', title: reasonOf(error) });
  const expires = new Date(expires_at ?? 0);
  return (
    <tr>
      <td className={styles.address}>{email}</td>
      <td>{capitalised(role)}</td>
      <td className="text-2">
        <Sent invitation={invitation} />
      </td>
      <td className="text-2" title={fullTime(expires)}>
        <span className="only-phone">Expires </span>
        {relativeTime(expires, new Date())}
      </td>
      <td className={styles.actions}>
        <Button
          size="sm"
          disabled={again.isPending}
          onClick={() =>
            again.mutate(
              { email, role, send },
              {
                onError: failed,
                onSuccess: ({ url }) =>
                  url
                    ? onLink({ email, url })
                    : toast({ kind: 'success', title: `Invitation sent to ${email} again.` }),
              },
            )
          }
          aria-label={
            send === 'mail' ? `Send the invitation of ${email} again` : `Make a new link for ${email}`
          }
        >
          {send === 'mail' ? 'Send again' : 'New link'}
        </Button>{' '}
        <Button
          size="sm"
          look="danger"
          disabled={revoke.isPending}
          onClick={() => revoke.mutate(id, { onError: failed })}
          aria-label={`Revoke the invitation of ${email}`}
        >
          Revoke
        </Button>
      </td>
    </tr>
  );
}

function Sent({ invitation }: { invitation: InvitationJson }) {
  const { send, created_at, mailed_at, mail_failing_reason, invited_by_name } = invitation;
  const by = invited_by_name ? `, by ${invited_by_name}` : '';
  if (send === 'link')
    return (
      <>
        As a link, {relativeTime(new Date(created_at ?? 0), new Date())}
        {by}
      </>
    );
  if (mail_failing_reason)
    return <span className={styles.trouble}>The mail did not leave yet: {mail_failing_reason}</span>;
  if (!mailed_at) return <>By mail, on its way{by}</>;
  return (
    <>
      By mail, {relativeTime(new Date(mailed_at), new Date())}
      {by}
    </>
  );
}
