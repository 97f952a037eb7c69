import { useState } from 'react';
import { useNavigate } from 'react-router';
import { letGo, useLeaveGuard } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { toast } from '~/lib/toast';
import { useSavePolicy } from '../api/policies';
import { type Faults, faultsOf } from '../model/edit';
import { type Policy, toRequest } from '../model/policy';

/** A policy that is being written: the draft, its faults once somebody tried to save, and the ways out of it. */
export function usePolicyDraft(policy: Policy) {
  const [edited, setEdited] = useState<Policy | null>(null);
  const [tried, setTried] = useState(false);
  const save = useSavePolicy();
  const navigate = useNavigate();
  const draft = edited ?? policy;
  const dirty = edited !== null && !same(edited, policy);
  const guard = useLeaveGuard(dirty);
  const faults: Faults = tried ? faultsOf(draft) : {};
  const submit = (): boolean => {
    setTried(true);
    if (Object.keys(faultsOf(draft)).length > 0) return false;
    save.mutate(draft, {
      onSuccess: (stored) => {
        letGo();
        setEdited(null);
        setTried(false);
        toast({ kind: 'success', title: `${stored.name} is saved` });
        if (!policy.id) navigate(paths.policy(stored.id), { replace: true });
      },
    });
    return true;
  };
  const discard = () => {
    setEdited(null);
    setTried(false);
    save.reset();
  };
  return { draft, change: setEdited, faults, dirty, save, submit, discard, guard };
}

function same(a: Policy, b: Policy): boolean {
  return JSON.stringify(toRequest(a)) === JSON.stringify(toRequest(b));
}
