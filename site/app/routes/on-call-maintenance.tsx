import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneCard } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { windowList } from '~/data/maintenance';
import { CreateWindowDialog } from '~/features/maintenance/components/create-window-dialog';
import { EditWindowDialog } from '~/features/maintenance/components/edit-window-dialog';
import { EndWindowDialog } from '~/features/maintenance/components/end-window-dialog';
import { WindowList } from '~/features/maintenance/components/window-list';
import { type MaintenanceWindow, toWindows } from '~/features/maintenance/model/window';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [client.query(windowList)]);
}

/** Planned work during which incidents page nobody. */
export default function OnCallMaintenance() {
  const list = useQuery({ ...windowList, select: toWindows });
  const mayWrite = mayAct('responder');
  const [creating, setCreating] = useState(false);
  const [editing, setEditing] = useState<MaintenanceWindow | null>(null);
  const [ending, setEnding] = useState<MaintenanceWindow | null>(null);
  const create = (look?: 'primary') => (
    <Button look={look} icon="plus" onClick={() => setCreating(true)}>
      Plan maintenance
    </Button>
  );
  return (
    <>
      <PageHead title="Maintenance">{mayWrite && create('primary')}</PageHead>
      <OncallNav />
      {list.data && (
        <FetchFailed of={list} card>
          Failed to load maintenance
        </FetchFailed>
      )}
      {list.data && list.data.length > 0 ? (
        <WindowList windows={list.data} mayWrite={mayWrite} onEdit={setEditing} onEnd={setEnding} />
      ) : list.isPending ? (
        <Loading what="maintenance">
          <div className="stack">
            <BoneCard title="Under way" count={2} />
            <BoneCard title="Ahead" count={2} />
          </div>
        </Loading>
      ) : (
        <section className={cardKit.card} aria-label="Maintenance windows">
          {!list.data && <FetchFailed of={list}>Failed to load maintenance</FetchFailed>}
          {list.data && (
            <Empty action={mayWrite && create()}>
              No maintenance yet. While you work on a service, its incidents open as ever and page nobody.
            </Empty>
          )}
        </section>
      )}
      {creating && <CreateWindowDialog onClose={() => setCreating(false)} />}
      {editing && <EditWindowDialog window={editing} onClose={() => setEditing(null)} />}
      {ending && <EndWindowDialog window={ending} onClose={() => setEnding(null)} />}
    </>
  );
}
