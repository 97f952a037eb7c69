import type { InvitationJson } from '@nightbell/proto';
import { useState } from 'react';
import { Button } from '~/components/ui/button';
import { type Column, DataTable } from '~/components/ui/data-table';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { useInvite, useRevokeInvitation } from '~/data/invitations';
import { reasonOf } from '~/lib/api';
import { useSettledPress } from '~/lib/settled-press';
import { dateOf } from '~/lib/time/instant';
import { fullTime, relativeTime } from '~/lib/time/words';
import { toast } from '~/lib/toast';
import { capitalised } from '~/lib/words';
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
  const [link, setLink] = useState<MadeLink | null>(null);
  const settled = useSettledPress('', invitations.map(({ id }) => id).join(' '));
  if (invitations.length === 0) return <Empty action={children}>No invitation waits.</Empty>;
  return (
    <>
      <DataTable
        label="Invitations"
        className={styles.invitationTable}
        rows={invitations}
        keyOf={({ id }) => id}
        columns={[
          ...columns,
          {
            head: 'Actions',
            quiet: true,
            className: tableKit.actions,
            cell: (invitation) => <Actions invitation={invitation} settled={settled} onLink={setLink} />,
          },
        ]}
      />
      {link && <LinksDialog links={[link]} onClose={() => setLink(null)} />}
    </>
  );
}

const columns: Column<InvitationJson>[] = [
  { head: 'Address', className: tableKit.title, cell: ({ email }) => email },
  { head: 'Role', cell: ({ role = '' }) => capitalised(role) },
  { head: 'Sent', className: 'text-2', cell: (invitation) => <Sent invitation={invitation} /> },
  {
    head: 'Expires',
    className: 'text-2',
    cell: ({ expires_at }) => (
      <span title={fullTime(dateOf(expires_at))}>
        <span className="only-phone">Expires </span>
        {relativeTime(dateOf(expires_at), new Date())}
      </span>
    ),
  },
];

function Actions({
  invitation: { id = '', email = '', role = '', send = '' },
  settled,
  onLink,
}: {
  invitation: InvitationJson;
  settled: ReturnType<typeof useSettledPress>;
  onLink: (link: MadeLink) => void;
}) {
  const again = useInvite();
  const revoke = useRevokeInvitation();
  const failed = (error: Error) => toast({ kind: 'failure', title: reasonOf(error) });
  const invite = () =>
    again.mutate(
      { email, role, send },
      {
        onError: failed,
        onSuccess: ({ url }) =>
          url
            ? onLink({ email, url })
            : toast({ kind: 'success', title: `Invitation sent to ${email} again.` }),
      },
    );
  return (
    <>
      <Button
        size="sm"
        disabled={again.isPending}
        onClick={settled(invite)}
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
        onClick={settled(() => revoke.mutate(id, { onError: failed }))}
        aria-label={`Revoke the invitation of ${email}`}
      >
        Revoke
      </Button>
    </>
  );
}

function Sent({ invitation }: { invitation: InvitationJson }) {
  const { send, created_at, mailed_at, mail_failing_reason, invited_by_name } = invitation;
  const by = invited_by_name ? `, by ${invited_by_name}` : '';
  if (send === 'link')
    return (
      <>
        As a link, {relativeTime(dateOf(created_at), new Date())}
        {by}
      </>
    );
  if (mail_failing_reason)
    return <span className={styles.trouble}>The mail did not leave yet: {mail_failing_reason}</span>;
  if (!mailed_at) return <>By mail, on its way{by}</>;
  return (
    <>
      By mail, {relativeTime(dateOf(mailed_at), new Date())}
      {by}
    </>
  );
}
