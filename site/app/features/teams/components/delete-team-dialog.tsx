import { useQuery, useQueryClient } from '@tanstack/react-query';
import { DeleteConflict } from '~/components/edit-conflict';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { memberList } from '~/data/members';
import { teamList, useDeleteTeam } from '~/data/teams';
import { useDeleteAsRead } from '~/lib/delete-as-read';
import { theirChanges } from '~/lib/edits';
import { type Team, toTeams } from '../model/team';
import { teamWords } from '../model/team-words';

/** Deletes a team after one question. The server refuses while a policy pages it. */
export function DeleteTeamDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const remove = useDeleteTeam();
  const client = useQueryClient();
  const people = (useQuery(memberList).data ?? []).map(({ id, name }) => ({ id, word: name }));
  const { seen, was, confirm } = useDeleteAsRead(team, remove, async () => {
    const stored = await client.query({ ...teamList, staleTime: 0, select: toTeams });
    return stored.find(({ id }) => id === team.id);
  });
  return (
    <ConfirmDialog
      title="Delete team"
      verb={was ? 'Delete it anyway' : 'Delete team'}
      doing="Deleting..."
      icon="trash"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => confirm(onClose)}
      onClose={onClose}
    >
      {was && <DeleteConflict changes={theirChanges(teamWords(people), was, seen)} />}
      <p className="text-2">
        <b className="strong">{seen.name}</b> is deleted. Its people stay in the workspace; its services and
        schedules stay without a team.
      </p>
    </ConfirmDialog>
  );
}
