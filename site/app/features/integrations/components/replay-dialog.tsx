import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { DateTimeField } from '~/components/ui/time-field';
import { useReplay } from '~/data/webhooks';
import { reasonOf } from '~/lib/api';
import { serverNow } from '~/lib/clock';
import { clockTime } from '~/lib/format';

const day = 24 * 3600 * 1000;

/** Delivers again what happened since a time, as after an outage of the receiver. */
export function ReplayDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const replay = useReplay(webhookId);
  const [since, setSince] = useState(() => toField(new Date(serverNow().getTime() - day)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    replay.mutate(new Date(since).toISOString(), { onSuccess: onClose });
  };
  return (
    <Dialog title="Replay events" narrow onClose={onClose}>
      <form onSubmit={submit}>
        {replay.isError && <Banner tone="failed">{reasonOf(replay.error)}</Banner>}
        <DateTimeField label="Since" required value={since} onChange={setSince} />
        <Button
          type="submit"
          look="primary"
          size="lg"
          disabled={replay.isPending || since === ''}
          labels={['Replaying...']}
        >
          {replay.isPending ? 'Replaying...' : 'Replay events'}
        </Button>
        <p className={dialogKit.note}>
          At most 30 days back, in your zone. Each event keeps its webhook-id, so that a receiver that had it
          can drop it.
        </p>
      </form>
    </Dialog>
  );
}

// A time as the field of the reader's zone holds it.
function toField(at: Date): string {
  const [year, month, date] = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${year}-${month}-${date}T${clockTime(at).slice(0, 5)}`;
}
