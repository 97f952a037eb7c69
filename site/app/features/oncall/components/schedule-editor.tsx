import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { EditConflict } from '~/components/edit-conflict';
import { LeaveDialog } from '~/components/layout/leave-dialog';
import { Button, ButtonLink } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import { policyList } from '~/data/policies';
import { scheduleById, useSaveSchedule } from '~/data/schedules';
import { teamList } from '~/data/teams';
import { reasonOf } from '~/lib/api';
import { isConflict, theirChanges } from '~/lib/edits';
import { letGo, useLeaveGuard } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { useNow } from '~/lib/time/clock';
import { readersZone } from '~/lib/time/zone';
import { toast } from '~/lib/toast';
import {
  type Draft,
  draftOf,
  draftOnTop,
  type LayerDraft,
  missingIn,
  moved,
  newDraft,
  newLayer,
  sameDraft,
  toScheduleRequest,
} from '../model/draft';
import { draftWords } from '../model/draft-words';
import { type Schedule, toSchedule } from '../model/schedule';
import { DraftPreview } from './draft-preview';
import { LayerEditor } from './layer-editor';
import * as styles from './schedule-editor.module.css';
import { ScheduleFacts } from './schedule-facts';

/** Makes a schedule, or changes one. What it would mean is drawn beside it while it is written. */
export function ScheduleEditor({ schedule }: { schedule: Schedule | null }) {
  const now = useNow(30_000).getTime();
  const [first, setFirst] = useState(() => (schedule ? draftOf(schedule) : newDraft(readersZone(), now)));
  const [etag, setEtag] = useState(schedule?.etag);
  const [draft, setDraft] = useState(first);
  const guard = useLeaveGuard(!sameDraft(draft, first));
  const set = (change: Partial<Draft>) => setDraft((old) => ({ ...old, ...change }));
  const missing = missingIn(draft);
  const goOn = (next: Draft, theirs: Draft, version: string | undefined) => {
    setDraft(next);
    setFirst(theirs);
    setEtag(version);
  };
  return (
    <div className={styles.editor}>
      <EditorForm schedule={schedule} first={first} etag={etag} draft={draft} missing={missing} onGoOn={goOn}>
        <ScheduleFacts draft={draft} onChange={set} />
        <Layers draft={draft} now={now} onChange={(layers) => set({ layers })} />
      </EditorForm>
      <LeaveDialog guard={guard} what="schedule" />
      <DraftPreview scheduleId={schedule?.id ?? ''} draft={draft} missing={missing} now={now} />
    </div>
  );
}

interface EditorFormProps {
  schedule: Schedule | null;
  /** What the draft began as, and its version. */
  first: Draft;
  etag: string | undefined;
  draft: Draft;
  missing: string | null;
  /** After a conflict: goes on with a draft that is based on what somebody else stored. */
  onGoOn: (next: Draft, theirs: Draft, version: string | undefined) => void;
  children: React.ReactNode;
}

function EditorForm({ schedule, first, etag, draft, missing, onGoOn, children }: EditorFormProps) {
  const client = useQueryClient();
  const fields = draftWords(useQuery(teamList).data, useQuery(policyList).data);
  const [theirs, setTheirs] = useState<Schedule | null>(null);
  const decide = (pick: (theirs: Draft) => Draft) => {
    if (!theirs) return;
    const stored = draftOf(theirs);
    onGoOn(pick(stored), stored, theirs.etag);
    setTheirs(null);
    save.reset();
  };
  const save = useSaveSchedule(schedule?.id ?? null);
  const navigate = useNavigate();
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing) return;
    save.mutate(
      { etag, ...toScheduleRequest(draft) },
      {
        onError: async (error) => {
          if (schedule && isConflict(error))
            setTheirs(await client.query({ ...scheduleById(schedule.id), select: toSchedule }));
        },
        onSuccess: (saved) => {
          toast({ kind: 'success', title: `${saved.name || draft.name} saved` });
          letGo();
          navigate(`${paths.onCall}?schedule=${saved.id}`);
        },
      },
    );
  };
  const word = schedule ? 'Save schedule' : 'Create schedule';
  return (
    <form className={styles.editorForm} aria-label="Schedule" onSubmit={submit}>
      {children}
      <div className={styles.saveBar}>
        {theirs && (
          <EditConflict
            changes={theirChanges(fields, first, draftOf(theirs), draft)}
            onKeepMine={() => decide((stored) => draftOnTop(first, draft, stored))}
            onTakeTheirs={() => decide((stored) => stored)}
          />
        )}
        {save.isError && !theirs && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
        {!save.isError && tried && missing && <Banner tone="failed">{missing}</Banner>}
        <ButtonLink to={paths.onCall}>Cancel</ButtonLink>
        <Button type="submit" look="primary" disabled={save.isPending} labels={['Saving...', word]}>
          {save.isPending ? 'Saving...' : word}
        </Button>
      </div>
    </form>
  );
}

interface LayersProps {
  draft: Draft;
  now: number;
  onChange: (layers: readonly LayerDraft[]) => void;
}

function Layers({ draft, now, onChange }: LayersProps) {
  const { layers, zone } = draft;
  return (
    <section className="stack" aria-label="Rotations">
      <p className={styles.editorNote}>
        Rotations lie over each other like layers. Where several are on at once, the later one wins; where
        none is, nobody is on call.
      </p>
      {layers.map((layer, i) => (
        <LayerEditor
          key={layer.key}
          layer={layer}
          place={i}
          count={layers.length}
          zone={zone}
          onChange={(changed) => onChange(layers.with(i, changed))}
          onMove={(step) => onChange(moved(layers, i, step))}
          onRemove={() => onChange(layers.toSpliced(i, 1))}
        />
      ))}
      <Button icon="plus" onClick={() => onChange([...layers, newLayer(layers.length + 1, zone, now)])}>
        Add rotation
      </Button>
    </section>
  );
}
