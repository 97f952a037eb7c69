import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import { reasonOf } from '~/lib/api';
import { letGo } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { toast } from '~/lib/toast';
import { useDeleteSchedule } from '../api/schedules';
import type { Schedule } from '../model/schedule';

/** Asks before a schedule is deleted, and says why when the server refuses. */
export function DeleteSchedule({ schedule }: { schedule: Schedule }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {asking && <DeleteDialog schedule={schedule} onClose={() => setAsking(false)} />}
    </>
  );
}

function DeleteDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const remove = useDeleteSchedule(schedule.id);
  const navigate = useNavigate();
  const done = () => {
    toast({ kind: 'success', title: `${schedule.name} deleted` });
    letGo();
    navigate(paths.onCall);
  };
  return (
    <Dialog title={`Delete ${schedule.name}`} narrow onClose={onClose}>
      <div className="body">
        {remove.isError && <Banner tone="failed">{reasonOf(remove.error)}</Banner>}
        <p>Its rotations and overrides go with it, and its calendar address ends.</p>
        {schedule.usedBy.length > 0 && (
          <p className="text-2">
            It is paged by {schedule.usedBy.join(', ')}. While it is, it cannot be deleted.
          </p>
        )}
        <div className="choices">
          <Button onClick={onClose}>Keep it</Button>
          <Button
            look="danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate(undefined, { onSuccess: done })}
          >
            Delete schedule
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
