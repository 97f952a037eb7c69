import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { DraftForm } from '~/components/draft-form';
import { DraftProblem } from '~/components/draft-problem';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField, TextField } from '~/components/ui/field';
import { Segmented } from '~/components/ui/segmented';
import { Submit } from '~/components/ui/submit';
import { DateTimeField } from '~/components/ui/time-field';
import { memberList } from '~/data/members';
import { overrideById, useSaveOverride } from '~/data/overrides';
import { useDraft } from '~/lib/draft';
import { currentSession } from '~/lib/session';
import { readersZone } from '~/lib/time/zone';
import { isReaders, lengthWords, spanWords } from '~/lib/time/zone-words';
import {
  begunAt,
  type OverrideDraft,
  type OverrideStart,
  onSchedule,
  overrideDraft,
  overrideDraftWords,
  type Place,
  startOf,
  wantedOf,
} from '../model/override-draft';
import {
  type NewOverride,
  type Override,
  type Schedule,
  toOverride,
  toOverrideRequest,
} from '../model/schedule';
import * as fieldNoteStyles from './field-note.module.css';
import * as styles from './override-dialog.module.css';

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
  const members = useQuery(memberList).data ?? [];
  const people = members.map(({ id, name }) => ({ value: id, word: name }));
  const nameOf = (id: string) => people.find(({ value }) => value === id)?.word ?? 'somebody';
  const [begun] = useState(() => begunAt(start, now));
  const begins = (of: Override | null) => (of ? startOf(of) : begun);
  const wantedOn = (draft: OverrideDraft, of: Override | null) =>
    wantedOf(draft, placeOf(schedules, draft.scheduleId).zone, begins(of));
  const me = currentSession()?.user.id ?? '';
  const edit = useDraft({
    stored: override ?? null,
    draftOf: (stored) => overrideDraft(begins(stored), placeOf(schedules, schedules[0]?.id), me),
    request: (draft, base) => {
      const wanted = wantedOn(draft, base);
      if (!wanted) return 'The end is after the start.';
      const { scheduleId } = wanted;
      return { id: base?.id, etag: base?.etag, scheduleId, body: toOverrideRequest(wanted) };
    },
    save: useSaveOverride(),
    onSaved: onClose,
    fetchNow: async () =>
      override ? client.query({ ...overrideById(override.id), select: toOverride }) : undefined,
    words: (theirs) => overrideDraftWords(placeOf(schedules, theirs?.scheduleId).zone, nameOf),
  });
  const { draft, set, text } = edit;
  // As it was when the draft was begun there: who comes on call meanwhile does not make it look written in.
  const from = useRef(placeOf(schedules, draft.scheduleId));
  const wanted = wantedOn(draft, edit.base);
  const place = placeOf(schedules, draft.scheduleId);
  return (
    <Dialog title={override ? 'Edit override' : 'Add override'} saving={edit.pending} onClose={onClose}>
      <DraftForm of={edit} className={styles.overrideForm}>
        <DraftProblem of={edit} />
        {schedules.length > 1 && (
          <SelectField
            label="Schedule"
            options={schedules.map(({ id, name }) => ({ value: id, word: name }))}
            {...text('scheduleId')}
            onChange={(event) => {
              const to = placeOf(schedules, event.target.value);
              set(onSchedule(draft, begun, from.current, to));
              from.current = to;
            }}
          />
        )}
        <div>
          <Segmented
            label="Kind"
            look="wide"
            choices={kinds}
            value={draft.kind}
            onChoose={(kind) => set({ kind })}
          />
          <p className={fieldNoteStyles.fieldNote}>{meanings[draft.kind]}</p>
        </div>
        {draft.kind !== 'vacant' && (
          <SelectField label="Who comes on" options={people} {...text('personId')} />
        )}
        {draft.kind === 'cover' && (
          <SelectField
            label="Instead of"
            required
            options={draft.replacesId ? people : [{ value: '', word: 'Choose who is covered' }, ...people]}
            {...text('replacesId')}
          />
        )}
        <div className={dialogKit.sideBySide}>
          <DateTimeField label="From" required value={draft.from} onChange={(from) => set({ from })} />
          <DateTimeField label="To" required value={draft.to} onChange={(to) => set({ to })} />
        </div>
        <TimeNote wanted={wanted} zone={place.zone} />
        <TextField label="Reason" optional maxLength={500} {...text('reason')} />
        <Submit
          size="lg"
          pending={edit.pending}
          disabled={!wanted}
          doing={override ? 'Saving override...' : 'Creating override...'}
        >
          {override ? 'Save override' : 'Create override'}
        </Submit>
        <p className={dialogKit.note}>It takes effect at once, also for incidents under way.</p>
      </DraftForm>
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
      {!isReaders(zone) && ` For you: ${spanWords(wanted.from, wanted.to, own)} (${own}).`}
    </p>
  );
}

function placeOf(schedules: readonly Schedule[], wanted: string | undefined): Place {
  const { id = '', zone = 'UTC', onCall } = schedules.find((one) => one.id === wanted) ?? {};
  return { id, zone, onCallId: onCall?.current.people[0]?.id ?? '' };
}
