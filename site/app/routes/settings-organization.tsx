import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { PageHead } from '~/components/layout/page-head';
import { BoneCard } from '~/components/ui/skeleton';
import { FetchFailed, Loading } from '~/components/ui/states';
import { organizationList } from '~/data/account';
import { prefetch } from '~/data/cache';
import { organization } from '~/data/organization';
import { logout } from '~/features/auth/api/logout';
import { switchOrganization } from '~/features/auth/api/switch-organization';
import { RemoveDialog } from '~/features/people/components/remove-dialog';
import { DangerCard } from '~/features/settings/components/danger-card';
import { OrganizationCard } from '~/features/settings/components/organization-card';
import { OrganizationsCard } from '~/features/settings/components/organizations-card';
import * as styles from '~/features/settings/components/settings.module.css';
import { SettingsNav } from '~/features/settings/components/settings-nav';
import { reasonOf } from '~/lib/api';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { currentSession } from '~/lib/session';
import { toast } from '~/lib/toast';

export function clientLoader() {
  return prefetch((client) => [client.query(organization(shownId())), client.query(organizationList)]);
}

const shownId = () => currentSession()?.user.org_id ?? '';

/** The organization that is shown, and the account's others. */
export default function SettingsOrganization() {
  const me = currentSession()?.user;
  const navigate = useNavigate();
  const [leaving, setLeaving] = useState(false);
  const enter = (id: string) =>
    switchOrganization(id)
      .then((there) => there && navigate(paths.dashboard))
      .catch((cause: Error) => toast({ kind: 'failure', title: reasonOf(cause) }));
  const here = useQuery(organization(shownId()));
  return (
    <>
      <PageHead title="Organization" />
      <SettingsNav />
      <div className={styles.settings}>
        {here.isPending && (
          <Loading what="the organization">
            <BoneCard title="Organization" count={2} />
          </Loading>
        )}
        <FetchFailed of={here} card>
          Failed to load the organization
        </FetchFailed>
        {here.data && <OrganizationCard organization={here.data} />}
        <OrganizationsCard onSwitch={(id) => void enter(id)} onLeave={() => setLeaving(true)} />
        {here.data && mayAct('owner') && <DangerCard organization={here.data} />}
      </div>
      {leaving && (
        <RemoveDialog
          own
          user={{ id: me?.id ?? '', name: me?.name ?? '' }}
          onRemoved={logout}
          onClose={() => setLeaving(false)}
        />
      )}
    </>
  );
}
