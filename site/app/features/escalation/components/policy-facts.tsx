import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { onCallNow } from '~/data/schedules';
import { offsets, type Policy, type Step } from '../model/policy';
import { conditionOf } from '../model/summary';
import { toNames } from '../model/targets';
import { lengthOf } from '../model/words';
import { CoverageCard } from './coverage-card';
import * as policyEditorStyles from './policy-editor.module.css';
import * as styles from './policy-facts.module.css';
import { SummaryCard } from './summary-card';
import { TargetName } from './target-name';

/** A policy for those who may read but not change it. */
export function PolicyFacts({ policy, aside }: { policy: Policy; aside?: ReactNode }) {
  const onCall = useQuery({ ...onCallNow, select: toNames }).data;
  const after = offsets(policy.steps);
  return (
    <div className={policyEditorStyles.policyColumns}>
      <div className="stack">
        <Card title="Steps">
          {policy.description && <p className={`${cardKit.pad} text-2`}>{policy.description}</p>}
          <ol className={styles.stepFacts}>
            {policy.steps.map((step, i) => (
              <StepFact key={step.key} step={step} after={after[i] ?? 0} onCall={onCall} />
            ))}
          </ol>
        </Card>
      </div>
      <div className={`stack ${policyEditorStyles.beside}`}>
        <SummaryCard policy={policy} />
        <CoverageCard policy={policy} />
        {aside}
      </div>
    </div>
  );
}

function StepFact({
  step,
  after,
  onCall,
}: {
  step: Step;
  after: number;
  onCall: ReadonlyMap<string, readonly string[]> | undefined;
}) {
  return (
    <li>
      <span className={styles.when}>{after === 0 ? 'At once' : `After ${lengthOf(after)}`}</span>
      <div>
        <ul>
          {step.targets.map((target) => (
            <li key={`${target.kind}${target.id}`}>
              <TargetName target={target} />
              {target.kind === 'schedule' && onCall && (
                <span className="text-3">
                  {(onCall.get(target.id) ?? []).join(', ') || 'nobody on call'} now
                </span>
              )}
            </li>
          ))}
        </ul>
        {step.roundRobin && <p className="size-12 text-3">Each incident pages the next one.</p>}
        {conditionOf(step) && <p className="size-12 text-3">Applies to {conditionOf(step)}.</p>}
      </div>
      <span className="text-3">waits {lengthOf(step.delaySeconds)}</span>
    </li>
  );
}
