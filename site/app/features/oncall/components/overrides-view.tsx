import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DeleteConflict } from '~/components/edit-conflict';
import { Avatar } from '~/components/ui/avatar';
import * as badgeKit from '~/components/ui/badge.module.css';
import { Button, IconButton } from '~/components/ui/button';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { Segmented } from '~/components/ui/segmented';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { useHues } from '~/data/members';
import { overrideById, overrideList, useDeleteOverride } from '~/data/overrides';
import { useDeleteAsRead } from '~/lib/delete-as-read';
import { theirChanges } from '~/lib/edits';
import { mayAct } from '~/lib/role';
import { matchingOverrides } from '../model/filter';
import { overrideWords } from '../model/override-words';
import { type Override, type Schedule, toOverride, toOverrides } from '../model/schedule';
import { lengthWords, spanWords } from '../model/words';
import { OverrideDialog } from './override-dialog';
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
      <table className={`${tableKit.table} ${styles.overrideTable}`} aria-label="Overrides">
        <thead>
          <tr>
            {['Who', 'Instead of', 'When', 'Schedule', 'Reason'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {pages.shown.map((one) => (
            <Row
              key={one.id}
              override={one}
              zone={zoneOf(one)}
              now={now}
              onEdit={setEditing}
              onRemove={setRemoving}
            />
          ))}
        </tbody>
      </table>
      <Pager pages={pages} what="overrides" />
      {removing && (
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

function Row({
  override,
  zone,
  now,
  onEdit,
  onRemove,
}: {
  override: Override;
  zone: string;
  now: number;
  onEdit: (override: Override) => void;
  onRemove: (override: Override) => void;
}) {
  const hueOf = useHues();
  const { person, replaces, from, to, kind } = override;
  const over = to <= now;
  const who = kind === 'vacant' ? 'Nobody' : (person?.name ?? 'Somebody');
  return (
    <tr className={over ? styles.over : undefined}>
      <td className={styles.name}>
        <span className="row">
          {person && kind !== 'vacant' && <Avatar name={person.name} hue={hueOf(person.id)} />}
          {who}
          {from <= now && now < to && <span className={badgeKit.badge}>On now</span>}
        </span>
      </td>
      <td>{kind === 'cover' ? replaces?.name : 'Everybody'}</td>
      <td title={zone}>
        {spanWords(from, to, zone)}
        <small>
          {lengthWords(to - from)}, {zone}
        </small>
      </td>
      <td>{override.scheduleName}</td>
      <td>
        {override.reason || <span className="text-3">None given</span>}
        {override.by && <small>by {override.by.name}</small>}
      </td>
      <td className={styles.edit}>
        {!over && mayAct('responder') && (
          <>
            <IconButton
              icon="edit"
              label={`Edit the override of ${who}, ${spanWords(from, to, zone)}`}
              onClick={() => onEdit(override)}
            />
            <IconButton
              icon="trash"
              label={`Delete the override of ${who}, ${spanWords(from, to, zone)}`}
              onClick={() => onRemove(override)}
            />
          </>
        )}
      </td>
    </tr>
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
