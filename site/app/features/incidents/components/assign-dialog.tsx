import { Avatar } from '~/components/ui/avatar';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { useAssignIncident } from '~/data/incident-changes';
import { reasonOf } from '~/lib/api';
import type { Incident } from '../model/incident';
import { choiceState, underWay } from './choice-state';
import { PersonChoice } from './person-choice';

/** Gives the incident to somebody, or to nobody. Choosing is enough. */
export function AssignDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const assign = useAssignIncident(incident.id);
  const doing = underWay(assign);
  const choose = (userId: string) => assign.mutate(userId, { onSuccess: onClose });
  return (
    <Dialog title="Assign" narrow saving={assign.isPending} onClose={onClose}>
      <div className={dialogKit.body}>
        {assign.isError && <Banner tone="failed">{reasonOf(assign.error)}</Banner>}
        <PersonChoice chosen={incident.assignee?.id} doing={doing} onChoose={choose}>
          {incident.assignee && (
            <li>
              <button type="button" {...choiceState(doing, '')} onClick={() => choose('')}>
                <Avatar name="-" />
                <span className="grow">Nobody</span>
              </button>
            </li>
          )}
        </PersonChoice>
        <p className={dialogKit.note}>Whoever gets it is told. Paging goes on until somebody acknowledges.</p>
      </div>
    </Dialog>
  );
}
