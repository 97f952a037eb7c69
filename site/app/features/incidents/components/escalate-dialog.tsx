import { Button } from '~/components/ui/button';
import { Dialog } from '~/components/ui/dialog';
import { useEscalateIncident } from '~/data/incident-changes';
import * as dialogKit from '~/components/ui/dialog.module.css';
import type { Incident } from '../model/incident';

/** Asks once before somebody else is woken, naming them when the server knows who it will be. */
export function EscalateDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { escalate, isPending } = useEscalateIncident();
  const targets = incident.escalation?.nextTargets ?? [];
  const whom = targets.length > 0 ? targets.join(', ') : 'the next step';
  return (
    <Dialog title="Escalate" narrow onClose={onClose}>
      <div className={dialogKit.body}>
        <p className="text-2">
          This pages <b className="strong">{whom}</b> now instead of waiting.
          {incident.status === 'acknowledged' && ' The incident counts as unacknowledged again.'}
        </p>
        <div className={dialogKit.choices}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            icon="up"
            disabled={isPending}
            onClick={() => escalate(incident, { onSettled: onClose })}
          >
            {isPending ? 'Paging...' : 'Page now'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
