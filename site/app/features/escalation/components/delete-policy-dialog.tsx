import { useNavigate } from 'react-router';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import { reasonOf } from '~/lib/api';
import { letGo } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { useDeletePolicy } from '../api/policies';
import type { Policy } from '../model/policy';

/** Deletes a policy after one question. The server refuses while something uses it, and says what. */
export function DeletePolicyDialog({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const remove = useDeletePolicy();
  const navigate = useNavigate();
  const done = () => {
    letGo();
    navigate(paths.policies);
  };
  const confirm = () => remove.mutate(policy.id, { onSuccess: done });
  return (
    <Dialog title="Delete policy" narrow onClose={onClose}>
      <div className="body">
        {remove.isError && <Banner tone="failed">{reasonOf(remove.error)}</Banner>}
        <p className="text-2">
          <b className="strong">{policy.name}</b> is deleted for everybody. This cannot be undone.
        </p>
        <div className="choices">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" icon="trash" disabled={remove.isPending} onClick={confirm}>
            {remove.isPending ? 'Deleting...' : 'Delete policy'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
