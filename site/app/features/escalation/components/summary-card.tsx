import { Card } from '~/components/ui/card';
import type { Policy } from '../model/policy';
import { summaryOf } from '../model/summary';

/** What the policy does, in sentences. */
export function SummaryCard({ policy }: { policy: Policy }) {
  return (
    <Card title="In words">
      <div className="pad summary">
        {summaryOf(policy).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </Card>
  );
}
