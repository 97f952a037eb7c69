import { type FormEvent, useState } from 'react';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { Submit } from '~/components/ui/submit';
import { DateTimeField } from '~/components/ui/time-field';
import { useReplay } from '~/data/webhooks';
import { reasonOf } from '~/lib/api';
import { serverNow } from '~/lib/time/clock';
import { later, toIso } from '~/lib/time/instant';
import { fromField, toField } from '~/lib/time/zone';

const day = 24 * 3600 * 1000;

/** Delivers again what happened since a time, as after an outage of the receiver. */
export function ReplayDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const replay = useReplay(webhookId);
  const [since, setSince] = useState(() => toField(later(serverNow(), -day)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const from = fromField(since);
    if (from !== null) replay.mutate(toIso(from), { onSuccess: onClose });
  };
  return (
    <Dialog title="Replay events" narrow saving={replay.isPending} onClose={onClose}>
      <form onSubmit={submit}>
        {replay.isError && <Banner tone="failed">{reasonOf(replay.error)}</Banner>}
        <DateTimeField label="Since" required value={since} onChange={setSince} />
        <Submit size="lg" pending={replay.isPending} disabled={since === ''} doing="Replaying...">
          Replay events
        </Submit>
        <p className={dialogKit.note}>
          At most 30 days back, in your zone. Each event keeps its webhook-id, so that a receiver that had it
          can drop it.
        </p>
      </form>
    </Dialog>
  );
}
