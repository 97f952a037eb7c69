import { useState } from 'react';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { Banner } from '~/components/ui/dialog';
import { useEscalateIncident } from '~/data/incident-changes';
import { useSettledPress } from '~/lib/settled-press';
import type { Incident } from '../model/incident';

/** Asks once before somebody else is woken, naming them when the server knows who it will be. */
export function EscalateDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { escalate, isPending } = useEscalateIncident();
  const targets = incident.escalation?.nextTargets ?? [];
  const whom = targets.length > 0 ? targets.join(', ') : 'the next step';
  const [read] = useState({ whom, known: targets.length > 0 });
  const wentOn = read.known && targets.length > 0 && whom !== read.whom;
  // Paging goes on by itself while this is read: a press on its way would wake somebody else.
  const settled = useSettledPress(`${incident.escalation?.step} ${whom}`);
  return (
    <ConfirmDialog
      title="Escalate"
      verb="Page now"
      doing="Paging..."
      look="primary"
      icon="up"
      pending={isPending}
      onConfirm={settled(() => escalate(incident, { onSettled: onClose }))}
      onClose={onClose}
    >
      {wentOn && <Banner tone="">Paging went on while you read: it was to page {read.whom}.</Banner>}
      <p className="text-2">
        This pages <b className="strong">{whom}</b> now instead of waiting.
        {incident.status === 'acknowledged' && ' The incident counts as unacknowledged again.'}
      </p>
    </ConfirmDialog>
  );
}
