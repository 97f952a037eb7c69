import { useState } from 'react';
import { later, useAhead } from '~/components/later';
import { Button } from '~/components/ui/button';
import type { Schedule } from '../model/schedule';

const DeleteScheduleDialog = later('The question whether to delete it', () =>
  import('./delete-schedule-dialog').then((chunk) => chunk.DeleteScheduleDialog),
);

/** The button that asks before a schedule is deleted. */
export function DeleteSchedule({ schedule }: { schedule: Schedule }) {
  const [asking, setAsking] = useState(false);
  useAhead(DeleteScheduleDialog);
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {asking && <DeleteScheduleDialog schedule={schedule} onClose={() => setAsking(false)} />}
    </>
  );
}
