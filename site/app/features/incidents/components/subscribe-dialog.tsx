import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { useSubscribe } from '~/data/incident-changes';
import type { Incident } from '../model/incident';
import { PersonChoice } from './person-choice';

/** Lets somebody else be mailed what happens. Choosing is enough. */
export function SubscribeDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const subscribe = useSubscribe(incident.id);
  return (
    <Dialog title="Add a subscriber" narrow saving={subscribe.isPending} onClose={onClose}>
      <div className={dialogKit.body}>
        <PersonChoice
          without={incident.subscribers.map(({ id }) => id)}
          doing={subscribe.doing}
          onChoose={(id) => subscribe.mutate(id, { onSuccess: onClose })}
        />
        <p className={dialogKit.note}>They are mailed what happens until it is resolved. Nobody is paged.</p>
      </div>
    </Dialog>
  );
}
