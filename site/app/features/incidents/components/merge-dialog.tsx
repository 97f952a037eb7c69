import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { useMergeIncident } from '~/data/incident-changes';
import { incidentDetail } from '~/data/incidents';
import { shortId } from '~/lib/words';
import { type Incident, toIncident } from '../model/incident';
import { severities } from '../model/severity';
import { IncidentChoice } from './incident-choice';

/** Ends this incident in another one: first which, then whether it is meant. */
export function MergeDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const merge = useMergeIncident(incident.id);
  const [into, setInto] = useState<Incident | null>(null);
  // A row of the list does not say what opened it.
  const whole = useQuery({
    ...incidentDetail(into?.id ?? ''),
    select: toIncident,
    enabled: into !== null,
  }).data;
  if (!into)
    return (
      <Dialog title="Merge into another incident" saving={false} onClose={onClose}>
        <div className={dialogKit.body}>
          <IncidentChoice open without={[incident.id]} onChoose={setInto} />
          <p className={dialogKit.note}>
            Choose the open incident that goes on. This one ends, and nobody is paged for it any more.
          </p>
        </div>
      </Dialog>
    );
  const worse = rank(incident.severity) < rank(into.severity);
  const endsItself = declared(incident) && whole !== undefined && !declared(whole);
  return (
    <ConfirmDialog
      title="Merge into another incident"
      verb="Merge"
      doing="Merging..."
      back="Back"
      look="primary"
      pending={merge.isPending}
      error={merge.error}
      onConfirm={() => merge.mutate(into.id, { onSuccess: onClose })}
      onClose={() => {
        merge.reset();
        setInto(null);
      }}
    >
      <p>
        <span className="mono">{shortId(incident.id)}</span> ends, and its alerts go on in{' '}
        <b>
          <span className="mono">{shortId(into.id)}</span> {into.title}
        </b>
        , also those that come later while that is open. This cannot be undone.
      </p>
      {worse && (
        <p>
          <span className="mono">{shortId(into.id)}</span> becomes {incident.severity}, and whoever has it is
          told.
        </p>
      )}
      {endsItself && (
        <p>
          <span className="mono">{shortId(incident.id)}</span> was declared by hand.{' '}
          <span className="mono">{shortId(into.id)}</span> resolves when its last alert ends, for both.
        </p>
      )}
    </ConfirmDialog>
  );
}

/** Whether a person or a program opened it and no alert did. */
function declared({ source }: Incident): boolean {
  return source === 'manual' || source === 'api';
}

function rank(severity: string): number {
  return (severities as readonly string[]).indexOf(severity);
}
