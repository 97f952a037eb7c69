import type { EscalationPolicyJson } from '@nightbell/proto';
import { Badge } from '~/components/ui/badge';
import { Card } from '~/components/ui/card';
import { plainDuration } from '~/lib/format';

/** One policy: its steps, whom each pages, and how long it waits. */
export function PolicyCard({ policy }: { policy: EscalationPolicyJson }) {
  const repeats = policy.repeats ?? 0;
  return (
    <Card title={policy.name ?? ''} actions={policy.is_default && <Badge>Default</Badge>}>
      <ol className="policy-steps">
        {policy.steps?.map((step, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place in the policy.
          <li key={`${policy.id}/${i}`}>
            <span className="text-3">Step {i + 1}</span>
            <span>{step.targets?.map((target) => target.name || target.kind).join(', ')}</span>
            <span className="text-3">waits {plainDuration(step.delay_seconds ?? 0)}</span>
          </li>
        ))}
      </ol>
      <p className="policy-foot">
        {repeats > 0
          ? `Then from the start again, ${repeats === 1 ? 'once' : `${repeats} times`}.`
          : 'Then nobody else is paged.'}
      </p>
    </Card>
  );
}
