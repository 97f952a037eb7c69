import { useQuery, useQueryClient } from '@tanstack/react-query';
import { DraftForm } from '~/components/draft-form';
import { DraftProblem } from '~/components/draft-problem';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { Submit } from '~/components/ui/submit';
import { DateTimeField } from '~/components/ui/time-field';
import { useChangeWindow, windowById } from '~/data/maintenance';
import { serviceList } from '~/data/services';
import { useDraft } from '~/lib/draft';
import { idsOnTop, onTop } from '~/lib/edits';
import { serverNow } from '~/lib/time/clock';
import { toChoices } from '../model/choices';
import {
  draftOf,
  type MaintenanceWindow,
  toChange,
  toWindow,
  type WindowDraft,
  windowWords,
} from '../model/window';
import * as styles from './window-form.module.css';

/** Changes a window that is ahead or under way: its services, its times, its words. */
export function EditWindowDialog({ window, onClose }: { window: MaintenanceWindow; onClose: () => void }) {
  const client = useQueryClient();
  const services = useQuery({ ...serviceList, select: toChoices });
  const edit = useDraft({
    stored: window,
    draftOf,
    request: (draft, from) => {
      const change = toChange(draft, from, serverNow());
      return typeof change === 'string' ? change : { id: from.id, etag: from.etag, ...change };
    },
    save: useChangeWindow(),
    onSaved: onClose,
    fetchNow: () => client.query({ ...windowById(window.id), select: toWindow }),
    words: (theirs, base) =>
      windowWords([...(services.data ?? []), ...choicesOf(base), ...choicesOf(theirs)]),
    onTop: draftOnTop,
  });
  const { draft, base, set, text } = edit;
  const known = [...(services.data ?? []), ...choicesOf(base)];
  return (
    <Dialog title="Edit maintenance" saving={edit.pending} onClose={onClose}>
      <DraftForm of={edit} className={styles.windowForm}>
        <DraftProblem of={{ ...edit, failure: edit.failure || services.error?.message || '' }} />
        <SearchSelect
          label="Services"
          placeholder="Add another"
          choices={services.data ?? []}
          chosen={draft.serviceIds.flatMap((id) => known.find((one) => one.id === id) ?? [])}
          onChange={(chosen) => set({ serviceIds: chosen.map(({ id }) => id) })}
        />
        <div className={dialogKit.sideBySide}>
          <DateTimeField
            label="Start"
            required
            readOnly={base.state === 'under_way'}
            value={draft.starts}
            onChange={(starts) => set({ starts })}
          />
          <DateTimeField label="End" required value={draft.ends} onChange={(ends) => set({ ends })} />
        </div>
        <TextField label="Description" required maxLength={200} {...text('description')} />
        <Submit size="lg" pending={edit.pending} doing="Saving...">
          Save maintenance
        </Submit>
        <p className={dialogKit.note}>
          Times of your zone. Incidents that it holds no longer are paged at once.
        </p>
      </DraftForm>
    </Dialog>
  );
}

function choicesOf({ serviceIds, services }: MaintenanceWindow): Choice[] {
  return serviceIds.map((id, i) => ({ id, word: services[i] ?? '', icon: 'services' }));
}

function draftOnTop(base: WindowDraft, mine: WindowDraft, theirs: WindowDraft): WindowDraft {
  const serviceIds = idsOnTop(base.serviceIds, mine.serviceIds, theirs.serviceIds);
  return { ...onTop(base, mine, theirs), serviceIds };
}
