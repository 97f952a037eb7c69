import { useQuery } from '@tanstack/react-query';
import { DraftForm } from '~/components/draft-form';
import { DraftProblem } from '~/components/draft-problem';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import * as fieldKit from '~/components/ui/field.module.css';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { Segmented } from '~/components/ui/segmented';
import { Submit } from '~/components/ui/submit';
import { DateTimeField } from '~/components/ui/time-field';
import { useCreateWindow } from '~/data/maintenance';
import { serviceList } from '~/data/services';
import { useDraft } from '~/lib/draft';
import { serverNow } from '~/lib/time/clock';
import { fullHourAfter } from '~/lib/time/day';
import { readersZone, toField } from '~/lib/time/zone';
import { toChoices } from '../model/choices';
import { lengths, toRequest } from '../model/window';
import * as styles from './window-form.module.css';

const lengthWords: Record<string, string> = { 30: '30 min', 60: '1 h', 120: '2 h', null: 'Until' };

interface NewWindow {
  chosen: readonly Choice[];
  later: boolean;
  starts: string;
  /** Minutes, or 'null' for until `ends`. */
  length: string;
  ends: string;
  description: string;
}

/** Announces planned work: which services, from when, for how long, why. */
export function CreateWindowDialog({ onClose }: { onClose: () => void }) {
  const services = useQuery({ ...serviceList, select: toChoices });
  const edit = useDraft({
    stored: null,
    draftOf: newWindow,
    request: toNewWindow,
    save: useCreateWindow(),
    onSaved: onClose,
  });
  const { draft, set, text } = edit;
  const { chosen, later, length } = draft;
  return (
    <Dialog title="Plan maintenance" saving={edit.pending} onClose={onClose}>
      <DraftForm of={edit} className={styles.windowForm}>
        <DraftProblem of={{ ...edit, failure: edit.failure || services.error?.message || '' }} />
        <SearchSelect
          label="Services"
          placeholder={chosen.length === 0 ? 'Which are worked on' : 'Add another'}
          choices={services.data ?? []}
          chosen={chosen}
          onChange={(chosen) => set({ chosen })}
        />
        <div>
          <p className={fieldKit.label}>Starts</p>
          <Segmented
            label="Starts"
            look="wide"
            choices={[
              { value: 'now', content: 'Now' },
              { value: 'later', content: 'Later' },
            ]}
            value={later ? 'later' : 'now'}
            onChoose={(value) => set({ later: value === 'later' })}
          />
        </div>
        {later && (
          <DateTimeField label="Start" required value={draft.starts} onChange={(starts) => set({ starts })} />
        )}
        <div>
          <p className={fieldKit.label}>Lasts</p>
          <Segmented
            label="Lasts"
            look="wide"
            choices={lengths.map((minutes) => ({
              value: String(minutes),
              content: lengthWords[String(minutes)],
            }))}
            value={length}
            onChoose={(length) => set({ length })}
          />
        </div>
        {length === 'null' && (
          <DateTimeField label="End" required value={draft.ends} onChange={(ends) => set({ ends })} />
        )}
        {(later || length === 'null') && (
          <p className={dialogKit.note}>Times of your zone, {readersZone()}.</p>
        )}
        <TextField
          label="Description"
          required
          maxLength={200}
          placeholder="Database upgrade to 17.4"
          {...text('description')}
        />
        <Submit size="lg" pending={edit.pending} doing="Planning...">
          {later ? 'Plan maintenance' : 'Start maintenance'}
        </Submit>
        <p className={dialogKit.note}>
          Incidents of these services open as ever and page nobody until it ends. What is still open then is
          paged.
        </p>
      </DraftForm>
    </Dialog>
  );
}

function newWindow(): NewWindow {
  // A full hour is more often meant than this minute.
  const hoursAhead = (hours: number) => toField(fullHourAfter(serverNow(), hours));
  return {
    chosen: [],
    later: false,
    starts: hoursAhead(1),
    length: '60',
    ends: hoursAhead(5),
    description: '',
  };
}

function toNewWindow({ chosen, later, starts, length, ends, description }: NewWindow) {
  const wish = {
    description,
    serviceIds: chosen.map(({ id }) => id),
    startsAt: later ? starts : '',
    minutes: length === 'null' ? null : Number(length),
    endsAt: ends,
  };
  return toRequest(wish, serverNow());
}
