import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import { reasonOf } from '~/lib/api';
import { type Team, useDeleteTeam } from '../api/teams';

/** Deletes a team after one question. The server refuses while a policy pages it. */
export function DeleteTeamDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const remove = useDeleteTeam();
  return (
    <Dialog title="Delete team" narrow onClose={onClose}>
      <div className="body">
        {remove.isError && <Banner tone="failed">{reasonOf(remove.error)}</Banner>}
        <p className="text-2">
          <b className="strong">{team.name}</b> is deleted. Its people stay in the workspace; its services and
          schedules stay without a team.
        </p>
        <div className="choices">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            icon="trash"
            disabled={remove.isPending}
            onClick={() => remove.mutate(team.id, { onSuccess: onClose })}
          >
            {remove.isPending ? 'Deleting...' : 'Delete team'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
