import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DeleteConflict } from '~/components/edit-conflict';
import { Avatar } from '~/components/ui/avatar';
import { Badge } from '~/components/ui/badge';
import { Button, IconButton } from '~/components/ui/button';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { DataTable } from '~/components/ui/data-table';
import { Segmented } from '~/components/ui/segmented';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { useHues } from '~/data/members';
import { overrideById, overrideList, useDeleteOverride } from '~/data/overrides';
import { useDeleteAsRead } from '~/lib/delete-as-read';
import { theirChanges } from '~/lib/edits';
import { mayAct } from '~/lib/role';
import { lengthWords, spanWords } from '~/lib/time/zone-words';
import { matchingOverrides } from '../model/filter';
import { overrideWords } from '../model/override-words';
import { type Override, type Schedule, toOverride, toOverrides } from '../model/schedule';

import { OverrideDialog } from './opened-later';
import { Pager, usePages } from './pager';
import * as styles from './schedule-lists.module.css';

const pageSize = 15;
const times = [
  { value: 'ahead', content: 'On or ahead' },
  { value: 'past', content: 'With the past' },
] as const;

interface OverridesViewProps {
  schedules: readonly Schedule[];
  text: string;
  now: number;
}

/** Overrides of all schedules: who, instead of whom, when and why, and the way to take one back. */
export function OverridesView({ schedules, text, now }: OverridesViewProps) {
  const [past, setPast] = useState(false);
  const [adding, setAdding] = useState(false);
  const query = useQuery({ ...overrideList(past), select: toOverrides });
  return (
    <>
      <div className={styles.listToolsRow}>
        <Segmented
          label="Which overrides"
          choices={times}
          value={past ? 'past' : 'ahead'}
          onChoose={(choice) => setPast(choice === 'past')}
        />
        {mayAct('responder') && (
          <Button size="sm" icon="swap" onClick={() => setAdding(true)}>
            Add override
          </Button>
        )}
      </div>
      {query.isPending && <Loading what="overrides" quiet />}
      <FetchFailed of={query}>Failed to load overrides</FetchFailed>
      {query.data && <Found all={query.data} schedules={schedules} text={text} past={past} now={now} />}
      {adding && (
        <OverrideDialog schedules={schedules} start={{}} now={now} onClose={() => setAdding(false)} />
      )}
    </>
  );
}

interface FoundProps extends OverridesViewProps {
  all: readonly Override[];
  past: boolean;
}

function Found({ all, schedules, text, past, now }: FoundProps) {
  const found = matchingOverrides(all, text);
  const pages = usePages(found, pageSize);
  const [removing, setRemoving] = useState<Override | null>(null);
  const [editing, setEditing] = useState<Override | null>(null);
  const zoneOf = (one: Override) => schedules.find(({ id }) => id === one.scheduleId)?.zone ?? 'UTC';
  if (found.length === 0) {
    if (text.trim()) return <Empty>No override matches "{text.trim()}".</Empty>;
    return <Empty>{past ? 'There has been no override.' : 'No override is on or ahead.'}</Empty>;
  }
  return (
    <>
      <DataTable
        label="Overrides"
        className={styles.overrideTable}
        rows={pages.shown}
        keyOf={({ id }) => id}
        rowProps={({ to }) => ({ className: to <= now ? styles.over : undefined })}
        columns={[
          { head: 'Who', className: styles.name, cell: (one) => <Who override={one} now={now} /> },
          {
            head: 'Instead of',
            cell: ({ kind, replaces }) => (kind === 'cover' ? replaces?.name : 'Everybody'),
          },
          { head: 'When', cell: (one) => <When override={one} zone={zoneOf(one)} /> },
          { head: 'Schedule', cell: ({ scheduleName }) => scheduleName },
          { head: 'Reason', cell: Reason },
          {
            head: 'Actions',
            quiet: true,
            className: styles.edit,
            cell: (one) =>
              one.to > now &&
              mayAct('responder') && (
                <>
                  <IconButton
                    icon="edit"
                    label={`Edit the override of ${whoseWords(one, zoneOf(one))}`}
                    onClick={() => setEditing(one)}
                  />
                  <IconButton
                    icon="trash"
                    label={`Delete the override of ${whoseWords(one, zoneOf(one))}`}
                    onClick={() => setRemoving(one)}
                  />
                </>
              ),
          },
        ]}
      />
      <Pager pages={pages} what="overrides" />
      {removing && mayAct('responder') && (
        <RemoveDialog override={removing} zone={zoneOf(removing)} onClose={() => setRemoving(null)} />
      )}
      {editing && (
        <OverrideDialog
          schedules={schedules.filter(({ id }) => id === editing.scheduleId)}
          override={editing}
          now={now}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}

function whoOf({ kind, person }: Override): string {
  return kind === 'vacant' ? 'Nobody' : (person?.name ?? 'Somebody');
}

function whoseWords(override: Override, zone: string): string {
  return `${whoOf(override)}, ${spanWords(override.from, override.to, zone)}`;
}

function Who({ override, now }: { override: Override; now: number }) {
  const hueOf = useHues();
  const { person, kind, from, to } = override;
  return (
    <span className="row">
      {person && kind !== 'vacant' && <Avatar name={person.name} hue={hueOf(person.id)} />}
      {whoOf(override)}
      {from <= now && now < to && <Badge>On now</Badge>}
    </span>
  );
}

function When({ override: { from, to }, zone }: { override: Override; zone: string }) {
  return (
    <span title={zone}>
      {spanWords(from, to, zone)}
      <small>
        {lengthWords(to - from)}, {zone}
      </small>
    </span>
  );
}

function Reason({ reason, by }: Override) {
  return (
    <>
      {reason || <span className="text-3">None given</span>}
      {by && <small>by {by.name}</small>}
    </>
  );
}

interface RemoveDialogProps {
  override: Override;
  zone: string;
  onClose: () => void;
}

function RemoveDialog({ override, zone, onClose }: RemoveDialogProps) {
  const remove = useDeleteOverride();
  const client = useQueryClient();
  const { seen, was, confirm } = useDeleteAsRead(override, remove, () =>
    client.query({ ...overrideById(override.id), select: toOverride }),
  );
  const back = seen.replaces?.name ?? 'whoever the rotations name';
  return (
    <ConfirmDialog
      title="Delete override"
      verb={was ? 'Delete it anyway' : 'Delete override'}
      back="Keep it"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => confirm(onClose)}
      onClose={onClose}
    >
      {was && <DeleteConflict changes={theirChanges(overrideWords(zone), was, seen)} />}
      <p>
        {seen.scheduleName} goes back to {back} at once.
      </p>
    </ConfirmDialog>
  );
}
