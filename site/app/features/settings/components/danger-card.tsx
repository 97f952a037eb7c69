import type { OrganizationJson } from '@nightbell/proto';
import { useState } from 'react';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { TextField } from '~/components/ui/field';
import { useDeleteOrganization } from '~/data/account-end';
import { endSession } from '~/lib/session-change';
import { OwnPassword } from './own-password';
import * as styles from './settings.module.css';

/** What an owner cannot take back. */
export function DangerCard({ organization }: { organization: OrganizationJson }) {
  const [deleting, setDeleting] = useState(false);
  return (
    <Card title="Danger zone">
      <ul className={styles.rows}>
        <li>
          <div className="grow">
            <p className="strong">Delete the organization</p>
            <p>Everything that it has, for everybody in it. It cannot be taken back.</p>
          </div>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete organization
          </Button>
        </li>
      </ul>
      {deleting && <DeleteDialog organization={organization} onClose={() => setDeleting(false)} />}
    </Card>
  );
}

function DeleteDialog({ organization, onClose }: { organization: OrganizationJson; onClose: () => void }) {
  const { id = '', name = '' } = organization;
  const remove = useDeleteOrganization();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  return (
    <ConfirmDialog
      title={`Delete ${name}`}
      verb="Delete organization"
      doing="Deleting..."
      icon="trash"
      pending={remove.isPending || typed !== name || password === ''}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate({ id, name: typed, password }, { onSuccess: () => endSession('organization-deleted') })
      }
      onClose={onClose}
    >
      <p className="text-2">
        Incidents, alerts, services, schedules, policies, keys and the audit log are deleted for good. Nobody
        is paged for it any more, and what still sends alerts is refused. Everybody is signed out of it, and
        accounts that are in no other organization are deleted too.
      </p>
      <TextField
        label={`Type its name: ${name}`}
        autoComplete="off"
        required
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <OwnPassword value={password} onType={setPassword} />
    </ConfirmDialog>
  );
}
