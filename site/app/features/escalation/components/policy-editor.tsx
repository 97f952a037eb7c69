import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef } from 'react';
import { EditConflict } from '~/components/edit-conflict';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { Banner } from '~/components/ui/dialog';
import { SelectField, TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { saysNoTime } from '~/components/ui/time-field';
import { ZoneField } from '~/components/ui/zone-field';
import { onCallNow } from '~/data/schedules';
import { reasonOf } from '~/lib/api';
import { type Faults, withChanged, withMoved, withoutStep, withStep } from '../model/edit';
import { limits, offsets, type Policy } from '../model/policy';
import { toNames } from '../model/targets';
import { CoverageCard } from './coverage-card';
import { DurationField } from './duration-field';
import { LastResortField, QuietCard } from './ending-editor';
import * as styles from './policy-editor.module.css';
import { StepEditor } from './step-editor';
import * as stepEditorStyles from './step-editor.module.css';
import { SummaryCard } from './summary-card';
import { usePolicyDraft } from './use-policy-draft';
import { useTargetChoices } from './use-target-choices';

/** Writes a policy: a form on the left, what it means on the right. Nothing is stored before Save. */
export function PolicyEditor({ policy, aside }: { policy: Policy; aside?: ReactNode }) {
  const { draft, base, change, faults, dirty, save, submit, discard, conflict, errorOf } =
    usePolicyDraft(policy);
  const form = useRef<HTMLFormElement>(null);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    if (saysNoTime(event.currentTarget)) return event.preventDefault();
    if (submit(event)) return;
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <form
      ref={form}
      noValidate
      className={styles.policyColumns}
      onSubmit={onSubmit}
      aria-label="Escalation policy"
    >
      <div className="stack">
        {conflict && <EditConflict {...conflict} />}
        {save.isError && !conflict && (
          <Banner tone="failed">
            {save.error.message}
            {reasonOf(save.error) !== save.error.message && <p className="text-2">{reasonOf(save.error)}</p>}
          </Banner>
        )}
        <Basics policy={draft} error={faults.name ?? errorOf('name')} onChange={change} />
        <Steps policy={draft} faults={faults} onChange={change} />
        <Timers policy={draft} faults={faults} onChange={change} />
        <QuietCard policy={draft} faults={faults} onChange={change} />
      </div>
      <div className={`stack ${styles.beside}`}>
        <SummaryCard policy={draft} />
        <CoverageCard policy={draft} />
        {aside}
      </div>
      {dirty && (
        <div className={styles.saveBar}>
          <span className="grow text-2 hide-phone">
            {base.id
              ? 'Incidents under way page whoever of the new steps was not paged yet.'
              : 'Nothing is stored yet.'}
          </span>
          {base.id && (
            <Button disabled={save.isPending} onClick={discard}>
              Discard
            </Button>
          )}
          <Submit pending={save.isPending} doing="Saving policy...">
            Save policy
          </Submit>
        </div>
      )}
    </form>
  );
}

type Change = (policy: Policy) => void;

function Basics({ policy, error, onChange }: { policy: Policy; error?: string; onChange: Change }) {
  return (
    <Card title="Policy">
      <div className={`${cardKit.pad} stack`}>
        <div className={stepEditorStyles.stepRow}>
          <TextField
            label="Name"
            required
            maxLength={200}
            placeholder="Payments, critical"
            value={policy.name}
            error={error}
            onChange={(event) => onChange({ ...policy, name: event.target.value })}
          />
          <ZoneField
            label="Time zone of its hours"
            value={policy.timezone}
            onChange={(timezone) => onChange({ ...policy, timezone })}
          />
        </div>
        <TextField
          label="Description"
          optional
          maxLength={4000}
          value={policy.description}
          onChange={(event) => onChange({ ...policy, description: event.target.value })}
        />
      </div>
    </Card>
  );
}

function Steps({ policy, faults, onChange }: { policy: Policy; faults: Faults; onChange: Change }) {
  const { choices, failed } = useTargetChoices();
  const onCall = useQuery({ ...onCallNow, select: toNames }).data;
  const list = useRef<HTMLOListElement>(null);
  const said = useRef<HTMLParagraphElement>(null);
  const after = offsets(policy.steps);
  const move = (key: string, by: -1 | 1) => {
    const moved = withMoved(policy, key, by);
    if (moved === policy) return;
    const held = document.activeElement;
    onChange(moved);
    const place = moved.steps.findIndex((step) => step.key === key) + 1;
    if (said.current) said.current.textContent = `Now step ${place} of ${moved.steps.length}.`;
    requestAnimationFrame(() => keepFocus(list.current, key, held));
  };
  return (
    <section className="stack" aria-label="Steps">
      {failed && <Banner tone="failed">Some targets are missing from the search. {failed}</Banner>}
      <ol ref={list} className="stack">
        {policy.steps.map((step, i) => (
          <StepEditor
            key={step.key}
            step={step}
            number={i + 1}
            last={i === policy.steps.length - 1}
            only={policy.steps.length === 1}
            after={after[i] ?? 0}
            choices={choices}
            onCall={onCall}
            error={faults[step.key]}
            onChange={(fields) => onChange(withChanged(policy, step.key, fields))}
            onMove={(by) => move(step.key, by)}
            onRemove={() => onChange(withoutStep(policy, step.key))}
          />
        ))}
      </ol>
      <p ref={said} className="visually-hidden" role="status" />
      {policy.steps.length < limits.steps && (
        <div>
          <Button icon="plus" onClick={() => onChange(withStep(policy))}>
            Add step
          </Button>
        </div>
      )}
    </section>
  );
}

const repeatWords = Array.from({ length: limits.repeats + 1 }, (_, times) => ({
  value: String(times),
  word: times === 0 ? 'No' : times === 1 ? 'Once more' : `${times} more times`,
}));

function Timers({ policy, faults, onChange }: { policy: Policy; faults: Faults; onChange: Change }) {
  const { choices } = useTargetChoices();
  return (
    <Card title="When nobody answers, and after">
      <div className={`${cardKit.pad} stack`}>
        <div className={stepEditorStyles.stepRow}>
          <SelectField
            label="Starts again from step 1"
            options={repeatWords}
            value={String(policy.repeats)}
            onChange={(event) => onChange({ ...policy, repeats: Number(event.target.value) })}
          />
          <LastResortField policy={policy} choices={choices} error={faults.lastResort} onChange={onChange} />
        </div>
        <div className={stepEditorStyles.stepRow}>
          <DurationField
            label="Acknowledged, but not resolved: page again after"
            seconds={policy.ackTimeoutSeconds}
            canBeNever
            first={14_400}
            error={faults.ackTimeout}
            onChange={(ackTimeoutSeconds) => onChange({ ...policy, ackTimeoutSeconds })}
          />
          <DurationField
            label="No news of an open incident: resolve after"
            seconds={policy.autoResolveSeconds}
            canBeNever
            first={259_200}
            error={faults.autoResolve}
            onChange={(autoResolveSeconds) => onChange({ ...policy, autoResolveSeconds })}
          />
        </div>
      </div>
    </Card>
  );
}

// A step that moves in the page loses the focus; at the end of the list its arrow is disabled too.
function keepFocus(list: HTMLElement | null, key: string, held: Element | null): void {
  const step = list?.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`);
  step?.scrollIntoView?.({ block: 'nearest' });
  const usable = held instanceof HTMLElement && held.isConnected && !held.matches(':disabled');
  const next = usable ? held : step?.querySelector<HTMLElement>('[data-move]:not(:disabled)');
  next?.focus();
}
