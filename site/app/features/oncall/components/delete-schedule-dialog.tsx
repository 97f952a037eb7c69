import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { DeleteConflict } from '~/components/edit-conflict';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { policyList } from '~/data/policies';
import { scheduleById, useDeleteSchedule } from '~/data/schedules';
import { teamList } from '~/data/teams';
import { useDeleteAsRead } from '~/lib/delete-as-read';
import { theirChanges } from '~/lib/edits';
import { letGo } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { toast } from '~/lib/toast';
import { draftOf } from '../model/draft';
import { draftWords } from '../model/draft-words';
import { type Schedule, toSchedule } from '../model/schedule';

/** Asks before a schedule is deleted, and says why when the server refuses. */
export function DeleteScheduleDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const remove = useDeleteSchedule(schedule.id);
  const client = useQueryClient();
  const fields = draftWords(useQuery(teamList).data, useQuery(policyList).data);
  const { seen, was, confirm } = useDeleteAsRead(schedule, remove, () =>
    client.query({ ...scheduleById(schedule.id), select: toSchedule }),
  );
  const navigate = useNavigate();
  const done = () => {
    toast({ kind: 'success', title: `${schedule.name} deleted` });
    letGo();
    navigate(paths.onCall);
  };
  return (
    <ConfirmDialog
      title={`Delete ${schedule.name}`}
      verb={was ? 'Delete it anyway' : 'Delete schedule'}
      back="Keep it"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => confirm(done)}
      onClose={onClose}
    >
      {was && <DeleteConflict changes={theirChanges(fields, draftOf(was), draftOf(seen))} />}
      <p>Its rotations and overrides go with it, and its calendar address ends.</p>
      {seen.usedBy.length > 0 && (
        <p className="text-2">It is paged by {seen.usedBy.join(', ')}. While it is, it cannot be deleted.</p>
      )}
    </ConfirmDialog>
  );
}
