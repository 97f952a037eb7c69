import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import { SelectField, TextField } from '~/components/ui/field';
import { Segmented } from '~/components/ui/segmented';
import { reasonOf } from '~/lib/api';
import { memberList } from '~/lib/members';
import { currentSession } from '~/lib/session';
import { useCreateOverride } from '../api/overrides';
import type { NewOverride, Override, Schedule } from '../model/schedule';
import { lengthWords, spanWords } from '../model/words';
import { fromField, readersZone, toField } from '../model/zone';

/** What is already known when an override is begun. Instants in milliseconds. */
export interface OverrideStart {
  kind?: Override['kind'];
  replacesId?: string;
  from?: number;
  to?: number;
}

const hour = 3_600_000;
const kinds = [
  { value: 'take_over', content: 'Take over' },
  { value: 'cover', content: 'Cover one person' },
  { value: 'vacant', content: 'Nobody' },
] as const;

const meanings = {
  take_over: 'One person instead of everybody who would be on call.',
  cover:
    'One person instead of another, whenever that one would be on call, also by a take-over made earlier.',
  vacant: 'Nobody on call, on purpose: pages go on to the next step.',
} as const;

interface OverrideDialogProps {
  schedules: readonly Schedule[];
  start: OverrideStart;
  now: number;
  onClose: () => void;
}

/** Puts somebody else, or nobody, on call for a while. Times are of the schedule's wall clock. */
export function OverrideDialog({ schedules, start, now, onClose }: OverrideDialogProps) {
  const form = useOverrideForm(schedules, start, now);
  const create = useCreateOverride();
  const members = useQuery(memberList).data ?? [];
  const people = members.map(({ id, name }) => ({ value: id, word: name }));
  const { wanted, zone } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted) create.mutate(wanted, { onSuccess: onClose });
  };
  return (
    <Dialog title="Add override" onClose={onClose}>
      <form className="override-form" onSubmit={submit}>
        {create.isError && <Banner tone="failed">{reasonOf(create.error)}</Banner>}
        {schedules.length > 1 && (
          <SelectField
            label="Schedule"
            options={schedules.map(({ id, name }) => ({ value: id, word: name }))}
            {...form.field('scheduleId')}
          />
        )}
        <div>
          <Segmented
            label="Kind"
            look="wide"
            choices={kinds}
            value={form.values.kind}
            onChoose={(kind) => form.set({ kind })}
          />
          <p className="field-note">{meanings[form.values.kind]}</p>
        </div>
        {form.values.kind !== 'vacant' && (
          <SelectField label="Who comes on" options={people} {...form.field('personId')} />
        )}
        {form.values.kind === 'cover' && (
          <SelectField label="Instead of" options={people} {...form.field('replacesId')} />
        )}
        <div className="side-by-side">
          <TextField label="From" type="datetime-local" required {...form.field('from')} />
          <TextField label="To" type="datetime-local" required {...form.field('to')} />
        </div>
        <TimeNote wanted={wanted} zone={zone} />
        <TextField label="Reason" optional maxLength={500} {...form.field('reason')} />
        <Button type="submit" look="primary" size="lg" disabled={create.isPending || !wanted}>
          {create.isPending ? 'Creating override...' : 'Create override'}
        </Button>
        <p className="note">It takes effect at once, also for incidents under way.</p>
      </form>
    </Dialog>
  );
}

function TimeNote({ wanted, zone }: { wanted: NewOverride | null; zone: string }) {
  const own = readersZone();
  if (!wanted) return <p className="field-note">Times are of {zone}. The end is after the start.</p>;
  return (
    <p className="field-note" role="status">
      {lengthWords(wanted.to - wanted.from)}, wall clock of {zone}.
      {own !== zone && ` For you: ${spanWords(wanted.from, wanted.to, own)} (${own}).`}
    </p>
  );
}

interface Values {
  scheduleId: string;
  kind: Override['kind'];
  personId: string;
  replacesId: string;
  from: string;
  to: string;
  reason: string;
}

function useOverrideForm(schedules: readonly Schedule[], start: OverrideStart, now: number) {
  const [values, setValues] = useState(() => startValues(schedules[0], start, now));
  const zone = schedules.find((one) => one.id === values.scheduleId)?.zone ?? 'UTC';
  const set = (change: Partial<Values>) => setValues((old) => ({ ...old, ...change }));
  const field = (name: Exclude<keyof Values, 'kind'>) => ({
    name,
    value: values[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  return { values, zone, set, field, wanted: wantedOf(values, zone, start) };
}

function startValues(schedule: Schedule | undefined, start: OverrideStart, now: number): Values {
  const zone = schedule?.zone ?? 'UTC';
  const from = start.from ?? now;
  const me = currentSession()?.user.id ?? '';
  const onCall = schedule?.onCall?.current.people[0]?.id ?? '';
  return {
    scheduleId: schedule?.id ?? '',
    kind: start.kind ?? 'take_over',
    personId: me,
    replacesId: start.replacesId ?? onCall,
    from: toField(from, zone),
    to: toField(start.to ?? from + 12 * hour, zone),
    reason: '',
  };
}

// A time that was not touched is the exact one it was begun with: the field has no seconds, and
// no word for the second time that a clock shows an hour.
function wantedOf(values: Values, zone: string, start: OverrideStart): NewOverride | null {
  const exact = (text: string, at: number | undefined) =>
    at !== undefined && toField(at, zone) === text ? at : fromField(text, zone);
  const [from, to] = [exact(values.from, start.from), exact(values.to, start.to)];
  if (from === null || to === null || from >= to) return null;
  return { ...values, from, to };
}
