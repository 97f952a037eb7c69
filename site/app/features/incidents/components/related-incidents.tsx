import { useState } from 'react';
import { Link } from 'react-router';
import { Count } from '~/components/ui/badge';
import { Button, IconButton } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { StatusMark } from '~/components/ui/mark';
import { Empty } from '~/components/ui/states';
import { useUnlinkIncident } from '~/data/incident-changes';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { useSettledPress } from '~/lib/settled-press';
import { shortId } from '~/lib/words';
import type { Incident, Related } from '../model/incident';
import { LinkDialog } from './link-dialog';
import { MergeDialog } from './merge-dialog';
import * as styles from './side-list.module.css';

/** Incidents that were merged into this one, and those that have to do with it. */
export function RelatedIncidents({ incident }: { incident: Incident }) {
  const [open, setOpen] = useState<'link' | 'merge' | null>(null);
  const unlink = useUnlinkIncident(incident.id);
  const settled = useSettledPress('', incident.linked.map(({ id }) => id).join(' '));
  const changes = mayAct('responder');
  const total = incident.merged.length + incident.linked.length;
  return (
    <Card title="Related Incidents" actions={total > 0 && <Count value={total} />}>
      {total === 0 && <Empty>No other incident has to do with this one.</Empty>}
      <ul className={styles.sideList}>
        {incident.merged.map((other) => (
          <Row key={other.id} other={other} how="merged into this" />
        ))}
        {incident.linked.map((other) => (
          <Row key={other.id} other={other} how="linked">
            {changes && (
              <IconButton
                icon="x"
                size="sm"
                label={`Remove the link to ${other.title}`}
                disabled={unlink.isPending}
                onClick={settled(() => unlink.mutate(other.id))}
              />
            )}
          </Row>
        ))}
      </ul>
      {changes && (
        <div className={styles.foot}>
          <Button size="sm" icon="link" onClick={() => setOpen('link')}>
            Link incident
          </Button>
          {incident.status !== 'resolved' && (
            <Button size="sm" onClick={() => setOpen('merge')}>
              Merge into another
            </Button>
          )}
        </div>
      )}
      {open === 'link' && <LinkDialog incident={incident} onClose={() => setOpen(null)} />}
      {open === 'merge' && <MergeDialog incident={incident} onClose={() => setOpen(null)} />}
    </Card>
  );
}

function Row({ other, how, children }: { other: Related; how: string; children?: React.ReactNode }) {
  return (
    <li data-status={other.status}>
      <Link className="grow" to={paths.incident(other.id)}>
        <span className={styles.name}>
          <span className="mono text-3">{shortId(other.id)}</span> {other.title}
        </span>
        <span className="text-3 size-12">
          <StatusMark value={other.status} />, {how}
        </span>
      </Link>
      {children}
    </li>
  );
}
