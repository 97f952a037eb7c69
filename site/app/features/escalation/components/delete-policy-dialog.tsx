import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { DeleteConflict } from '~/components/edit-conflict';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import { policyDetail, useDeletePolicy } from '~/data/policies';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { reasonOf } from '~/lib/api';
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
    <Dialog title="Delete policy" narrow onClose={onClose}>
      <div className={dialogKit.body}>
        {remove.isError && <Banner tone="failed">{reasonOf(remove.error)}</Banner>}
        {was && <DeleteConflict changes={theirChanges(policyWords, was, seen)} />}
        <p className="text-2">
          <b className="strong">{seen.name}</b> is deleted for everybody. This cannot be undone.
        </p>
        <div className={dialogKit.choices}>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" icon="trash" disabled={remove.isPending} onClick={() => confirm(done)}>
            {remove.isPending ? 'Deleting...' : was ? 'Delete it anyway' : 'Delete policy'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
