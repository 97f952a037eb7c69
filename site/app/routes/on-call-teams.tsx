import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneRows } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { memberList } from '~/data/members';
import { teamList } from '~/data/teams';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { DeleteTeamDialog } from '~/features/teams/components/delete-team-dialog';
import { TeamDialog } from '~/features/teams/components/team-dialog';
import { TeamTable } from '~/features/teams/components/team-table';
import { type Team, toTeams } from '~/features/teams/model/team';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [client.query(teamList), client.query(memberList)]);
}

const newTeam: Team = { id: '', name: '', description: '', memberIds: [] };

/** The teams that own services and schedules, and that policies can page as one. */
export default function OnCallTeams() {
  const list = useQuery({ ...teamList, select: toTeams });
  // Rows are as high as the names in them, so they wait for those, unless there are none to be had.
  const named = !useQuery(memberList).isPending;
  const mayWrite = mayAct('admin');
  const [editing, setEditing] = useState<Team | null>(null);
  const [deleting, setDeleting] = useState<Team | null>(null);
  const create = (look?: 'primary') => (
    <Button look={look} icon="plus" onClick={() => setEditing(newTeam)}>
      Create team
    </Button>
  );
  return (
    <>
      <PageHead title="Teams">{mayWrite && create('primary')}</PageHead>
      <OncallNav />
      <section className={cardKit.card} aria-label="Team list">
        {(list.isPending || (list.data && !named)) && (
          <Loading what="teams">
            <BoneRows count={5} />
          </Loading>
        )}
        <FetchFailed of={list}>Failed to load teams</FetchFailed>
        {named && list.data?.length === 0 && (
          <Empty action={mayWrite && create()}>
            No team yet. A team owns services and schedules, and a policy can page it as one.
          </Empty>
        )}
        {named && list.data && list.data.length > 0 && (
          <TeamTable teams={list.data} mayWrite={mayWrite} onEdit={setEditing} onDelete={setDeleting} />
        )}
      </section>
      {editing && <TeamDialog team={editing} onClose={() => setEditing(null)} />}
      {deleting && <DeleteTeamDialog team={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}
