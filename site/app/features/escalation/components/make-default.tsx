import { Button } from '~/components/ui/button';
import { useMakeDefaultPolicy } from '~/data/policies';
import { reasonOf } from '~/lib/api';
import { toast } from '~/lib/toast';
import type { Policy } from '../model/policy';

/** Makes a policy the one of services that name none. */
export function MakeDefault({ policy }: { policy: Policy }) {
  const makeDefault = useMakeDefaultPolicy();
  const change = () =>
    makeDefault.mutate(policy.id, {
      onSuccess: () => toast({ kind: 'success', title: `${policy.name} is the default now` }),
      onError: (error) => toast({ kind: 'failure', title: error.message, detail: reasonOf(error) }),
    });
  return (
    <Button disabled={makeDefault.isPending} onClick={change}>
      Make default
    </Button>
  );
}
