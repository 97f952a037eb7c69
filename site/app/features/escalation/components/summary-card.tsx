import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import type { Policy } from '../model/policy';
import { summaryOf } from '../model/summary';
import * as styles from './summary-card.module.css';

/** What the policy does, in sentences. */
export function SummaryCard({ policy }: { policy: Policy }) {
  return (
    <Card title="In words">
      <div className={`${cardKit.pad} ${styles.summary}`}>
        {summaryOf(policy).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </Card>
  );
}
