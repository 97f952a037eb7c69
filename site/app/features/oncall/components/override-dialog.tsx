import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { EditConflict } from '~/components/edit-conflict';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField, TextField } from '~/components/ui/field';
import { Segmented } from '~/components/ui/segmented';
import { DateTimeField } from '~/components/ui/time-field';
import { memberList } from '~/data/members';
import { overrideById, useSaveOverride } from '~/data/overrides';
import { reasonOf } from '~/lib/api';
import { isConflict, onTop, theirChanges } from '~/lib/edits';
import { currentSession } from '~/lib/session';
import { fromField, readersZone, toField } from '~/lib/time/zone';
import { lengthWords, spanWords } from '~/lib/time/zone-words';
import { overrideWords } from '../model/override-words';
import {
  type NewOverride,
  type Override,
  type Schedule,
  toOverride,
  toOverrideRequest,
} from '../model/schedule';
import * as fieldNoteStyles from './field-note.module.css';
import * as styles from './override-dialog.module.css';

/** What is already known when an override is begun. Instants in milliseconds. */
export interface OverrideStart {
  kind?: Override['kind'];
  personId?: string;
  replacesId?: string;
  reason?: string;
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
  start?: OverrideStart;
  /** The one to change; a new one without. */
  override?: Override;
  now: number;
  onClose: () => void;
}

/** Puts somebody else, or nobody, on call for a while, or changes that. Times are of the schedule's wall clock. */
export function OverrideDialog({ schedules, start = {}, override, now, onClose }: OverrideDialogProps) {
  const client = useQueryClient();
  // The version that the fields are based on, and what somebody else has stored meanwhile.
  const [base, setBase] = useState(override ?? null);
  const [theirs, setTheirs] = useState<Override | null>(null);
  const form = useOverrideForm(schedules, base ? startOf(base) : start, now);
  const save = useSaveOverride(base);
  const members = useQuery(memberList).data ?? [];
  const people = members.map(({ id, name }) => ({ value: id, word: name }));
  const { wanted, zone } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!wanted) return;
    save.mutate(
      { scheduleId: wanted.scheduleId, body: toOverrideRequest(wanted) },
      {
        onSuccess: onClose,
        onError: async (error) => {
          if (base && isConflict(error))
            setTheirs(await client.query({ ...overrideById(base.id), select: toOverride }));
        },
      },
    );
  };
  const goOn = (values: Values) => {
    form.set(values);
    setBase(theirs);
    setTheirs(null);
    save.reset();
  };
  const verb = base ? 'Save override' : 'Create override';
  return (
    <Dialog title={base ? 'Edit override' : 'Add override'} onClose={onClose}>
      <form className={styles.overrideForm} onSubmit={submit}>
        {base && theirs && (
          <EditConflict
            changes={theirChanges(
              overrideWords(zone),
              base,
              theirs,
              wanted ? named(wanted, base, people) : base,
            )}
            onKeepMine={() => goOn(onTop(valuesOf(base, zone), form.values, valuesOf(theirs, zone)))}
            onTakeTheirs={() => goOn(valuesOf(theirs, zone))}
          />
        )}
        {save.isError && !theirs && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
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
          <p className={fieldNoteStyles.fieldNote}>{meanings[form.values.kind]}</p>
        </div>
        {form.values.kind !== 'vacant' && (
          <SelectField label="Who comes on" options={people} {...form.field('personId')} />
        )}
        {form.values.kind === 'cover' && (
          <SelectField label="Instead of" options={people} {...form.field('replacesId')} />
        )}
        <div className={dialogKit.sideBySide}>
          <DateTimeField
            label="From"
            required
            value={form.values.from}
            onChange={(from) => form.set({ from })}
          />
          <DateTimeField label="To" required value={form.values.to} onChange={(to) => form.set({ to })} />
        </div>
        <TimeNote wanted={wanted} zone={zone} />
        <TextField label="Reason" optional maxLength={500} {...form.field('reason')} />
        <Button type="submit" look="primary" size="lg" disabled={save.isPending || !wanted}>
          {save.isPending ? (base ? 'Saving override...' : 'Creating override...') : verb}
        </Button>
        <p className={dialogKit.note}>It takes effect at once, also for incidents under way.</p>
      </form>
    </Dialog>
  );
}

function TimeNote({ wanted, zone }: { wanted: NewOverride | null; zone: string }) {
  const own = readersZone();
  if (!wanted)
    return <p className={fieldNoteStyles.fieldNote}>Times are of {zone}. The end is after the start.</p>;
  return (
    <p className={fieldNoteStyles.fieldNote} role="status">
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
    personId: start.personId ?? me,
    replacesId: start.replacesId ?? onCall,
    from: toField(from, zone),
    to: toField(start.to ?? from + 12 * hour, zone),
    reason: start.reason ?? '',
  };
}

function startOf(override: Override): OverrideStart {
  const { kind, person, replaces, from, to, reason } = override;
  return { kind, personId: person?.id, replacesId: replaces?.id, from, to, reason };
}

/** The fields of an override that is stored. */
function valuesOf(override: Override, zone: string): Values {
  const { scheduleId, kind, person, replaces, from, to, reason } = override;
  return {
    scheduleId,
    kind,
    personId: person?.id ?? '',
    replacesId: replaces?.id ?? '',
    from: toField(from, zone),
    to: toField(to, zone),
    reason,
  };
}

// What is in the fields, as an override that could be stored.
function named(
  { kind, personId, replacesId, from, to, reason }: NewOverride,
  base: Override,
  people: readonly { value: string; word: string }[],
): Override {
  const personOf = (id: string) => ({
    id,
    name: people.find(({ value }) => value === id)?.word ?? 'somebody',
  });
  const person = kind === 'vacant' ? null : personOf(personId);
  return {
    ...base,
    kind,
    person,
    replaces: kind === 'cover' ? personOf(replacesId) : null,
    from,
    to,
    reason,
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
