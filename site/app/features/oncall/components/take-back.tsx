import { useQueryClient } from '@tanstack/react-query';
import { DeleteConflict } from '~/components/edit-conflict';
import { Button } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import { overrideById, useDeleteOverride } from '~/data/overrides';
import { reasonOf } from '~/lib/api';
import { useDeleteAsRead } from '~/lib/delete-as-read';
import { theirChanges } from '~/lib/edits';
import { overrideWords } from '../model/override-words';
import { type Override, toOverride } from '../model/schedule';

interface TakeBackProps {
  override: Override;
  zone: string;
  onDone: () => void;
}

/** Deletes the override behind a shift. */
export function TakeBack({ override, zone, onDone }: TakeBackProps) {
  const remove = useDeleteOverride();
  const client = useQueryClient();
  const { seen, was, confirm } = useDeleteAsRead(override, remove, () =>
    client.query({ ...overrideById(override.id), select: toOverride }),
  );
  return (
    <>
      {was && <DeleteConflict changes={theirChanges(overrideWords(zone), was, seen)} />}
      <Button size="sm" look="danger" disabled={remove.isPending} onClick={() => confirm(onDone)}>
        {was ? 'Delete it anyway' : 'Delete override'}
      </Button>
      {remove.isError && <Banner tone="failed">{reasonOf(remove.error)}</Banner>}
    </>
  );
}
