import { expect, it } from 'vitest';
import { emptyPolicy, toRequest } from '../model/policy';
import { policyOnTop } from './use-policy-draft';

it('keeps whom a new step is to page since it was sent, also when it was moved', () => {
  const policy = emptyPolicy('UTC');
  const [step] = policy.steps;
  if (!step) throw new Error('a policy has a step');
  const old = { ...step, id: 's1', key: 'old' };
  const sent = { ...policy, name: 'Nights', steps: [old, step] };
  const priya = { kind: 'user' as const, id: 'u2', name: 'Priya' };
  const mine = { ...sent, steps: [{ ...step, targets: [priya] }, old] };
  const stored = { ...sent, id: 'p1', etag: '1', steps: [old, { ...step, id: 's2', key: 'other' }] };
  const next = policyOnTop(sent, mine, stored);
  expect(next.id).toBe('p1');
  expect(toRequest(next).steps?.map(({ id, targets }) => [id, targets?.length])).toEqual([
    ['s2', 1],
    ['s1', 0],
  ]);
});
