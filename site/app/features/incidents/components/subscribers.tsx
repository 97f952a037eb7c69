import { useState } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { Count } from '~/components/ui/badge';
import { Button, IconButton } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Empty } from '~/components/ui/states';
import { useSubscribe, useUnsubscribe } from '~/data/incident-changes';
import { mayAct } from '~/lib/role';
import { currentSession } from '~/lib/session';
import { useSettledPress } from '~/lib/settled-press';
import type { Incident } from '../model/incident';
import * as styles from './side-list.module.css';
import { SubscribeDialog } from './subscribe-dialog';

/** Who is mailed what happens to the incident. Everybody may be; it pages nobody. */
export function Subscribers({ incident }: { incident: Incident }) {
  const [choosing, setChoosing] = useState(false);
  const subscribe = useSubscribe(incident.id);
  const unsubscribe = useUnsubscribe(incident.id);
  const me = currentSession()?.user.id ?? '';
  const { subscribers } = incident;
  const settled = useSettledPress('', subscribers.map(({ id }) => id).join(' '));
  const over = incident.status === 'resolved';
  if (over && subscribers.length === 0) return null;
  const busy = subscribe.isPending || unsubscribe.isPending;
  return (
    <Card title="Subscribers" actions={subscribers.length > 0 && <Count value={subscribers.length} />}>
      {subscribers.length === 0 && <Empty>Nobody is mailed what happens here.</Empty>}
      <ul className={styles.sideList}>
        {subscribers.map(({ id, name }) => (
          <li key={id}>
            <Avatar name={name} />
            <span className="grow ellipsis">
              {name}
              {id === me && ' (you)'}
            </span>
            {(id === me || mayAct('responder')) && (
              <IconButton
                icon="x"
                size="sm"
                label={id === me ? 'Unsubscribe' : `Unsubscribe ${name}`}
                disabled={busy}
                onClick={settled(() => unsubscribe.mutate(id))}
              />
            )}
          </li>
        ))}
      </ul>
      {!over && (
        <div className={styles.foot}>
          {!subscribers.some(({ id }) => id === me) && (
            <Button size="sm" icon="mail" disabled={busy} onClick={() => subscribe.mutate('')}>
              Mail me its news
            </Button>
          )}
          {mayAct('responder') && (
            <Button size="sm" onClick={() => setChoosing(true)}>
              Add somebody
            </Button>
          )}
        </div>
      )}
      {choosing && <SubscribeDialog incident={incident} onClose={() => setChoosing(false)} />}
    </Card>
  );
}
