import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { useEscalateIncident } from '~/data/incident-changes';
import type { Incident } from '../model/incident';

/** Asks once before somebody else is woken, naming them when the server knows who it will be. */
export function EscalateDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { escalate, isPending } = useEscalateIncident();
  const targets = incident.escalation?.nextTargets ?? [];
  const whom = targets.length > 0 ? targets.join(', ') : 'the next step';
  return (
    <ConfirmDialog
      title="Escalate"
      verb="Page now"
      doing="Paging..."
      look="primary"
      icon="up"
      pending={isPending}
      onConfirm={() => escalate(incident, { onSettled: onClose })}
      onClose={onClose}
    >
      <p className="text-2">
        This pages <b className="strong">{whom}</b> now instead of waiting.
        {incident.status === 'acknowledged' && ' The incident counts as unacknowledged again.'}
      </p>
    </ConfirmDialog>
  );
}
