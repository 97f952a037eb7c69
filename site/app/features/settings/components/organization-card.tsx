import type { OrganizationJson } from '@nightbell/proto';
import type { FormEvent } from 'react';
import { Card } from '~/components/ui/card';
import { Banner } from '~/components/ui/dialog';
import { TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { useRenameOrganization } from '~/data/organization';
import { reasonOf } from '~/lib/api';
import { mayAct } from '~/lib/role';
import { dateOf } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';
import { toast } from '~/lib/toast';
import * as styles from './settings.module.css';

/** What the organization is called. Only admins rename it. */
export function OrganizationCard({ organization }: { organization: OrganizationJson }) {
  const save = useRenameOrganization();
  const { id = '', etag, name, created_at } = organization;
  if (!mayAct('admin'))
    return (
      <Card title="Organization">
        <div className={styles.form}>
          <p className="strong">{name}</p>
          <p className="text-3 size-12">Since {fullTime(dateOf(created_at))}. Admins change its name.</p>
        </div>
      </Card>
    );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = String(new FormData(event.currentTarget).get('name')).trim();
    save.mutate(
      { id, etag, name: wanted },
      { onSuccess: () => toast({ kind: 'success', title: 'Organization saved.' }) },
    );
  };
  return (
    <Card title="Organization">
      <form key={etag} className={styles.form} onSubmit={submit}>
        {save.isError && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
        <TextField
          label="Name"
          name="name"
          required
          maxLength={200}
          defaultValue={name}
          autoComplete="organization"
        />
        <p className="text-3 size-12">On pages and in mails. Since {fullTime(dateOf(created_at))}.</p>
        <Submit pending={save.isPending} doing="Saving...">
          Save organization
        </Submit>
      </form>
    </Card>
  );
}
