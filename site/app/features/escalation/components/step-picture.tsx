import { Icon } from '~/components/ui/icon';
import { offsets, type Policy } from '../model/policy';
import { conditionOf } from '../model/summary';
import { lengthOf } from '../model/words';
import * as styles from './step-picture.module.css';
import { TargetName } from './target-name';

/** A policy as a chain: who is paged after how long, and how often again. */
export function StepPicture({ policy }: { policy: Policy }) {
  const after = offsets(policy.steps);
  return (
    <ol className={styles.chain}>
      {policy.steps.map((step, i) => {
        const condition = [step.roundRobin ? 'one in turn' : '', conditionOf(step)]
          .filter(Boolean)
          .join(', ');
        return (
          <li key={step.key}>
            <span className={styles.when}>{i === 0 ? 'At once' : lengthOf(after[i] ?? 0)}</span>
            <span className={styles.whom}>
              {step.targets.map((target) => (
                <TargetName key={`${target.kind}${target.id}`} target={target} />
              ))}
            </span>
            {condition && <span className={styles.condition}>{condition}</span>}
          </li>
        );
      })}
      <li className={styles.end}>
        <span className={styles.when}>{lengthOf(after.at(-1) ?? 0)}</span>
        <span className={styles.whom}>
          {policy.repeats > 0 && (
            <>
              <Icon name="refresh" />
              {policy.repeats === 1 ? 'once more, then' : `${policy.repeats} more times, then`}
            </>
          )}{' '}
          {lastWord(policy)}
        </span>
      </li>
    </ol>
  );
}

function lastWord({ lastResort, lastResortTarget }: Policy): string {
  if (lastResort === 'nobody') return 'gives up';
  return (lastResort === 'target' && lastResortTarget?.name) || 'the owners';
}
