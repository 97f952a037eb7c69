import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { EditConflict } from '~/components/edit-conflict';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { DateTimeField } from '~/components/ui/time-field';
import { useChangeWindow, windowById } from '~/data/maintenance';
import { serviceList } from '~/data/services';
import { reasonOf } from '~/lib/api';
import { idsOnTop, isConflict, onTop, theirChanges } from '~/lib/edits';
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
  // The version that the fields are based on, and what somebody else has stored meanwhile.
  const [base, setBase] = useState(window);
  const [theirs, setTheirs] = useState<MaintenanceWindow | null>(null);
  const [draft, setDraft] = useState(() => draftOf(window));
  const [fault, setFault] = useState('');
  const save = useChangeWindow(base);
  const known = [...(services.data ?? []), ...choicesOf(base), ...(theirs ? choicesOf(theirs) : [])];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const request = toChange(draft, base, serverNow());
    setFault(typeof request === 'string' ? request : '');
    if (typeof request === 'string') return;
    save.mutate(request, {
      onSuccess: onClose,
      onError: async (error) => {
        if (isConflict(error)) setTheirs(await client.query({ ...windowById(base.id), select: toWindow }));
      },
    });
  };
  const goOn = (next: WindowDraft) => {
    setDraft(next);
    setBase(theirs ?? base);
    setTheirs(null);
    save.reset();
  };
  const failure = fault || (save.isError && !theirs && reasonOf(save.error)) || services.error?.message;
  return (
    <Dialog title="Edit maintenance" onClose={onClose}>
      <form className={styles.windowForm} onSubmit={submit}>
        {theirs && (
          <EditConflict
            changes={theirChanges(windowWords(known), draftOf(base), draftOf(theirs), draft)}
            onKeepMine={() => goOn(draftOnTop(draftOf(base), draft, draftOf(theirs)))}
            onTakeTheirs={() => goOn(draftOf(theirs))}
          />
        )}
        {failure && <Banner tone="failed">{failure}</Banner>}
        <SearchSelect
          label="Services"
          placeholder="Add another"
          choices={services.data ?? []}
          chosen={draft.serviceIds.flatMap((id) => known.find((one) => one.id === id) ?? [])}
          onChange={(chosen) => setDraft({ ...draft, serviceIds: chosen.map(({ id }) => id) })}
        />
        <div className={dialogKit.sideBySide}>
          <DateTimeField
            label="Start"
            required
            readOnly={base.state === 'under_way'}
            value={draft.starts}
            onChange={(starts) => setDraft({ ...draft, starts })}
          />
          <DateTimeField
            label="End"
            required
            value={draft.ends}
            onChange={(ends) => setDraft({ ...draft, ends })}
          />
        </div>
        <TextField
          label="Description"
          name="description"
          required
          maxLength={200}
          value={draft.description}
          onChange={(event) => setDraft({ ...draft, description: event.target.value })}
        />
        <Button type="submit" look="primary" size="lg" disabled={save.isPending} labels={['Saving...']}>
          {save.isPending ? 'Saving...' : 'Save maintenance'}
        </Button>
        <p className={dialogKit.note}>
          Times of your zone. Incidents that it holds no longer are paged at once.
        </p>
      </form>
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
