import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { policyDetail, useSavePolicy } from '~/data/policies';
import { useDraft } from '~/lib/draft';
import { changedFields } from '~/lib/edits';
import { listOnTop } from '~/lib/list-on-top';
import { paths } from '~/lib/paths';
import { toast } from '~/lib/toast';
import { type Faults, faultsOf } from '../model/edit';
import { type Policy, type Step, toPolicy, toRequest } from '../model/policy';
import { policyWords } from '../model/policy-words';

/** A policy that is being written: the draft, its faults once somebody tried to save, and the ways out of it. */
export function usePolicyDraft(policy: Policy) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const save = useSavePolicy();
  const edit = useDraft({
    stored: policy,
    what: `policy ${policy.id || 'new'}`,
    draftOf: (stored) => stored,
    // A new one has no query: once it is stored, it is what is shown until its page is there.
    follows: policy.id !== '',
    storedAs: toRequest,
    request: (draft, { id, etag }) => Object.values(faultsOf(draft))[0] ?? { id, etag, ...toRequest(draft) },
    save,
    storedBy: toPolicy,
    onSaved: ({ id = '', name }, stays) => {
      toast({ kind: 'success', title: `${name} is saved` });
      if (!policy.id && !stays) navigate(paths.policy(id), { replace: true });
    },
    fetchNow: ({ id }) => client.query({ ...policyDetail(id), staleTime: 0, select: toPolicy }),
    words: () => policyWords,
    onTop: policyOnTop,
  });
  const faults: Faults = edit.tried ? faultsOf(edit.draft) : {};
  return { ...edit, save, faults };
}

/** What somebody else stored, with what `mine` changed since `base` on top. */
export function policyOnTop(base: Policy, mine: Policy, theirs: Policy): Policy {
  const own = Object.fromEntries(changedFields(toRequest(base), toRequest(mine)).flatMap(fieldsBehind(mine)));
  const steps = listOnTop(base.steps, mine.steps, theirs.steps, storedStep(base));
  return { ...theirs, ...own, steps };
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
