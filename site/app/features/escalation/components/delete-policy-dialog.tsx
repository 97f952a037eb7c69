import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { DeleteConflict } from '~/components/edit-conflict';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { policyDetail, useDeletePolicy } from '~/data/policies';
import { useDeleteAsRead } from '~/lib/delete-as-read';
import { theirChanges } from '~/lib/edits';
import { letGo } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { type Policy, toPolicy } from '../model/policy';
import { policyWords } from '../model/policy-words';

/** Deletes a policy after one question. The server refuses while something uses it, and says what. */
export function DeletePolicyDialog({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const remove = useDeletePolicy();
  const navigate = useNavigate();
  const done = () => {
    letGo();
    navigate(paths.policies);
  };
  const client = useQueryClient();
  const { seen, was, confirm } = useDeleteAsRead(policy, remove, () =>
    client.query({ ...policyDetail(policy.id), staleTime: 0, select: toPolicy }),
  );
  return (
    <ConfirmDialog
      title="Delete policy"
      verb={was ? 'Delete it anyway' : 'Delete policy'}
      doing="Deleting..."
      icon="trash"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => confirm(done)}
      onClose={onClose}
    >
      {was && <DeleteConflict changes={theirChanges(policyWords, was, seen)} />}
      <p className="text-2">
        <b className="strong">{seen.name}</b> is deleted for everybody. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
