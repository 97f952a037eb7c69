import { type KeyboardEvent, useId } from 'react';
import { IconButton } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import * as fieldKit from '~/components/ui/field.module.css';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { Segmented } from '~/components/ui/segmented';
import { choiceOf, targetOf } from '../model/choices';
import type { Step } from '../model/policy';
import { conditionOf } from '../model/summary';
import { lengthOf } from '../model/words';
import { ConditionFields } from './condition-fields';
import { DurationField } from './duration-field';
import * as styles from './step-editor.module.css';

interface StepEditorProps {
  step: Step;
  number: number;
  last: boolean;
  only: boolean;
  /** Seconds after which it pages at the latest. */
  after: number;
  choices: readonly Choice[];
  onCall: ReadonlyMap<string, readonly string[]> | undefined;
  error?: string;
  onChange: (fields: Partial<Step>) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** One step being written. Alt with an arrow moves it from anywhere inside. */
export function StepEditor(props: StepEditorProps) {
  const { step, number, choices, onChange, onMove } = props;
  const title = useId();
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    // There the same keys open the list.
    const opens = event.target instanceof Element && event.target.matches('[role="combobox"], select');
    if (!event.altKey || !by || opens) return;
    event.preventDefault();
    onMove(by as -1 | 1);
  };
  const delayFault = props.error && step.targets.length > 0 ? props.error : undefined;
  return (
    <li
      className={`${cardKit.card} ${styles.stepEditor}`}
      aria-labelledby={title}
      onKeyDown={onKey}
      data-step={step.key}
    >
      <StepHead {...props} titleId={title} />
      <div className={`${cardKit.pad} stack`}>
        <SearchSelect
          label="Pages"
          placeholder={step.targets.length === 0 ? 'Schedule, team, person or channel' : 'Add another'}
          choices={choices}
          chosen={step.targets.map((target) => knownAs(choices, choiceOf(target)))}
          onChange={(chosen) => onChange({ targets: chosen.map(targetOf) })}
          error={step.targets.length === 0 ? props.error : undefined}
          note={(choice) => <OnCallNow choice={choice} onCall={props.onCall} />}
        />
        <div className={styles.stepRow}>
          <DurationField
            label={
              props.last
                ? 'Waits before starting again or the last resort'
                : `Waits before step ${number + 1}`
            }
            seconds={step.delaySeconds}
            onChange={(delaySeconds) => onChange({ delaySeconds })}
            error={delayFault}
          />
          <div>
            <p className={fieldKit.label}>Each incident pages</p>
            <Segmented
              label={`Step ${number}: whom each incident pages`}
              choices={[
                { value: 'everyone', content: 'Everyone' },
                { value: 'turns', content: 'One in turn' },
              ]}
              value={step.roundRobin ? 'turns' : 'everyone'}
              onChoose={(value) => onChange({ roundRobin: value === 'turns' })}
            />
          </div>
        </div>
        <Conditions step={step} number={number} onChange={onChange} />
      </div>
    </li>
  );
}

function StepHead({
  number,
  last,
  only,
  after,
  onMove,
  onRemove,
  titleId,
}: StepEditorProps & { titleId: string }) {
  return (
    <header>
      <h3 id={titleId}>
        Step {number}{' '}
        <span className={styles.when}>{after === 0 ? 'at once' : `after ${lengthOf(after)}`}</span>
      </h3>
      <IconButton
        icon="chevron-up"
        label={`Move step ${number} up`}
        aria-keyshortcuts="Alt+ArrowUp"
        data-move="-1"
        disabled={number === 1}
        onClick={() => onMove(-1)}
      />
      <IconButton
        icon="chevron-down"
        label={`Move step ${number} down`}
        aria-keyshortcuts="Alt+ArrowDown"
        data-move="1"
        disabled={last}
        onClick={() => onMove(1)}
      />
      <IconButton icon="trash" label={`Remove step ${number}`} disabled={only} onClick={onRemove} />
    </header>
  );
}

function Conditions({
  step,
  number,
  onChange,
}: {
  step: Step;
  number: number;
  onChange: StepEditorProps['onChange'];
}) {
  const condition = conditionOf(step);
  return (
    <details className={styles.conditions} open={condition !== '' || undefined}>
      <summary>
        <span className="strong">Applies to</span> {condition || 'every severity, at any time'}
      </summary>
      <ConditionFields of={`step ${number}`} value={step} onChange={onChange} />
    </details>
  );
}

function OnCallNow({ choice, onCall }: { choice: Choice; onCall: StepEditorProps['onCall'] }) {
  const { kind, id } = targetOf(choice);
  if (kind !== 'schedule' || !onCall) return null;
  const names = onCall.get(id) ?? [];
  if (names.length === 0) return <span className={styles.nobody}>nobody on call now</span>;
  return <span className={styles.now}>{names.join(', ')} now</span>;
}

// The name and colour as they are today, rather than as the policy remembers them.
function knownAs(choices: readonly Choice[], choice: Choice): Choice {
  return choices.find(({ id }) => id === choice.id) ?? choice;
}
