import type { ServiceJson } from '@nightbell/proto';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { DeleteConflict } from '~/components/edit-conflict';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { useDeleteService } from '~/data/service-changes';
import { serviceDetail } from '~/data/services';
import { useDeleteAsRead } from '~/lib/delete-as-read';
import { theirChanges } from '~/lib/edits';
import { paths } from '~/lib/paths';
import { serviceWords, toEdited } from '../model/service-words';

/** Deletes a service after one question, and goes back to the list. */
export function DeleteServiceDialog({ service, onClose }: { service: ServiceJson; onClose: () => void }) {
  const remove = useDeleteService();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { seen, was, confirm } = useDeleteAsRead(toEdited(service), remove, async () =>
    toEdited(await client.query({ ...serviceDetail(service.id ?? ''), staleTime: 0 })),
  );
  return (
    <ConfirmDialog
      title="Delete service"
      verb={was ? 'Delete it anyway' : 'Delete service'}
      doing="Deleting..."
      icon="trash"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => confirm(() => void navigate(paths.services))}
      onClose={onClose}
    >
      {was && (
        <DeleteConflict
          changes={theirChanges(
            serviceWords(() => 'another'),
            was,
            seen,
          )}
        />
      )}
      <p className="text-2">
        <b className="strong">{seen.name}</b> is deleted. Its key is refused from then on: alerts that still
        come to it page nobody. Its incidents stay.
      </p>
    </ConfirmDialog>
  );
}
