import { useState } from 'react';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { useExportAccount } from '~/data/account-end';
import { reasonOf } from '~/lib/api';
import { toast } from '~/lib/toast';
import { DeleteAccountDialog } from './delete-account-dialog';
import * as styles from './settings.module.css';

/** What is stored of the reader: to take along, and to delete. */
export function DataCard() {
  const save = useExportAccount();
  const [deleting, setDeleting] = useState(false);
  const download = () =>
    save.mutate(undefined, {
      onError: (error) =>
        toast({
          kind: 'failure',
          title: 'Your data was not downloaded',
          detail: reasonOf(error),
          retry: download,
        }),
    });
  return (
    <Card title="Your data">
      <ul className={styles.rows}>
        <li>
          <div className="grow">
            <p className="strong">Download your data</p>
            <p>
              Profile, contacts, rules, sessions, shifts, pages and what you did, in all of your
              organizations, as one JSON file.
            </p>
          </div>
          <Button
            icon="download"
            disabled={save.isPending}
            labels={['Download', 'Downloading...']}
            onClick={download}
          >
            {save.isPending ? 'Downloading...' : 'Download'}
          </Button>
        </li>
        <li>
          <div className="grow">
            <p className="strong">Delete your account</p>
            <p>It says first what names you, and who takes over. It cannot be taken back.</p>
          </div>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete account
          </Button>
        </li>
      </ul>
      {deleting && <DeleteAccountDialog onClose={() => setDeleting(false)} />}
    </Card>
  );
}
