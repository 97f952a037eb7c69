import type { OrganizationJson } from '@nightbell/proto';
import { useQueryClient } from '@tanstack/react-query';
import { DraftProblem } from '~/components/draft-problem';
import { Card } from '~/components/ui/card';
import { TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { organization as organizationQuery, useRenameOrganization } from '~/data/organization';
import { useDraft } from '~/lib/draft';
import { mayAct } from '~/lib/role';
import { dateOf } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';
import { toast } from '~/lib/toast';
import * as styles from './settings.module.css';

/** What the organization is called. Only admins rename it. */
export function OrganizationCard({ organization }: { organization: OrganizationJson }) {
  if (mayAct('admin')) return <RenameForm organization={organization} />;
  return (
    <Card title="Organization">
      <div className={styles.form}>
        <p className="strong">{organization.name}</p>
        <p className="text-3 size-12">
          Since {fullTime(dateOf(organization.created_at))}. Admins change its name.
        </p>
      </div>
    </Card>
  );
}

function RenameForm({ organization }: { organization: OrganizationJson }) {
  const client = useQueryClient();
  const edit = useDraft({
    stored: organization,
    what: 'organization',
    follows: true,
    draftOf: ({ name = '' }) => ({ name }),
    request: ({ name }, { id = '', etag }) => ({ id, etag, name: name.trim() }),
    save: useRenameOrganization(),
    storedBy: ({ organization: saved }) => saved ?? organization,
    onSaved: () => toast({ kind: 'success', title: 'Organization saved.' }),
    fetchNow: () => client.query({ ...organizationQuery(organization.id ?? ''), staleTime: 0 }),
    words: () => [{ label: 'Name', stored: ({ name }) => name, words: ({ name }) => name }],
  });
  return (
    <Card title="Organization">
      <form className={styles.form} onSubmit={edit.submit}>
        <DraftProblem of={edit} />
        <TextField label="Name" required maxLength={200} autoComplete="organization" {...edit.text('name')} />
        <p className="text-3 size-12">
          On pages and in mails. Since {fullTime(dateOf(organization.created_at))}.
        </p>
        <Submit pending={edit.pending} doing="Saving...">
          Save organization
        </Submit>
      </form>
    </Card>
  );
}
