import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { useLinkIncident } from '~/data/incident-changes';
import { reasonOf } from '~/lib/api';
import type { Incident } from '../model/incident';
import { underWay } from './choice-state';
import { IncidentChoice } from './incident-choice';

/** Says that another incident has to do with this one. Choosing is enough. */
export function LinkDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const link = useLinkIncident(incident.id);
  const known = [incident.id, ...[...incident.linked, ...incident.merged].map(({ id }) => id)];
  return (
    <Dialog title="Link incident" saving={link.isPending} onClose={onClose}>
      <div className={dialogKit.body}>
        {link.isError && <Banner tone="failed">{reasonOf(link.error)}</Banner>}
        <IncidentChoice
          without={known}
          doing={underWay(link)}
          onChoose={({ id }) => link.mutate(id, { onSuccess: onClose })}
        />
        <p className={dialogKit.note}>Both show the other one. Nothing else changes, and nobody is paged.</p>
      </div>
    </Dialog>
  );
}
