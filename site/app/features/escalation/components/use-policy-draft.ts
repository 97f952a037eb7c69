import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { policyDetail, useSavePolicy } from '~/data/policies';
import { changedFields, isConflict, listOnTop, theirChanges } from '~/lib/edits';
import { letGo, useLeaveGuard } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { toast } from '~/lib/toast';
import { type Faults, faultsOf } from '../model/edit';
import { type Policy, type Step, toPolicy, toRequest } from '../model/policy';
import { policyWords } from '../model/policy-words';

/** A policy that is being written: the draft, its faults once somebody tried to save, and the ways out of it. */
export function usePolicyDraft(policy: Policy) {
  const client = useQueryClient();
  const [edited, setEdited] = useState<Policy | null>(null);
  // What the draft began as, and what somebody else has stored meanwhile.
  const [base, setBase] = useState(policy);
  const [theirs, setTheirs] = useState<Policy | null>(null);
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
    const { id, etag } = draft;
    save.mutate(
      { id, etag, ...toRequest(draft) },
      {
        onSuccess: (answer) => {
          const stored = toPolicy(answer);
          letGo();
          setEdited(null);
          setBase(stored);
          setTried(false);
          toast({ kind: 'success', title: `${stored.name} is saved` });
          if (!policy.id) navigate(paths.policy(stored.id), { replace: true });
        },
        onError: async (error) => {
          if (isConflict(error))
            setTheirs(await client.query({ ...policyDetail(id), staleTime: 0, select: toPolicy }));
        },
      },
    );
    return true;
  };
  const change = (next: Policy) => {
    if (edited === null) setBase(policy);
    setEdited(next);
  };
  const keepOnTop = () => {
    if (theirs === null) return;
    const mine = Object.fromEntries(
      changedFields(toRequest(base), toRequest(draft)).flatMap(fieldsBehind(draft)),
    );
    const steps = listOnTop(base.steps, draft.steps, theirs.steps, storedStep(base));
    setEdited({ ...theirs, ...mine, steps });
    setBase(theirs);
    setTheirs(null);
    save.reset();
  };
  const discard = () => {
    setEdited(null);
    setTheirs(null);
    setTried(false);
    save.reset();
  };
  const conflict = theirs && { changes: theirChanges(policyWords, base, theirs, draft), keepOnTop };
  return { draft, change, faults, dirty, save, submit, discard, guard, conflict };
}

function same(a: Policy, b: Policy): boolean {
  return JSON.stringify(toRequest(a)) === JSON.stringify(toRequest(b));
}

type Asked = keyof ReturnType<typeof toRequest>;

// The fields of a draft that are stored under other names.
const places: Readonly<Partial<Record<Asked, keyof Policy>>> = {
  repeat_count: 'repeats',
  ack_timeout_seconds: 'ackTimeoutSeconds',
  auto_resolve_seconds: 'autoResolveSeconds',
  last_resort: 'lastResort',
  last_resort_target: 'lastResortTarget',
};

function storedStep(policy: Policy) {
  return (step: Step) => toRequest({ ...policy, steps: [step] }).steps;
}

function fieldsBehind(draft: Policy) {
  return (field: Asked): [keyof Policy, unknown][] => {
    const place = places[field] ?? (field as keyof Policy);
    return [[place, draft[place]]];
  };
}
