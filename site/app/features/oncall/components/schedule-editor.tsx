import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { LeaveDialog } from '~/components/layout/leave-dialog';
import { Button, ButtonLink } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import { reasonOf } from '~/lib/api';
import { useNow } from '~/lib/clock';
import { letGo, useLeaveGuard } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { toast } from '~/lib/toast';
import { useSaveSchedule } from '../api/schedules';
import {
  type Draft,
  draftOf,
  type LayerDraft,
  missingIn,
  moved,
  newDraft,
  newLayer,
  sameDraft,
} from '../model/draft';
import type { Schedule } from '../model/schedule';
import { readersZone } from '../model/zone';
import { DraftPreview } from './draft-preview';
import { LayerEditor } from './layer-editor';
import { ScheduleFacts } from './schedule-facts';
import '../editor.css';

/** Makes a schedule, or changes one. What it would mean is drawn beside it while it is written. */
export function ScheduleEditor({ schedule }: { schedule: Schedule | null }) {
  const now = useNow(30_000).getTime();
  const [first] = useState(() => (schedule ? draftOf(schedule) : newDraft(readersZone(), now)));
  const [draft, setDraft] = useState(first);
  const guard = useLeaveGuard(!sameDraft(draft, first));
  const set = (change: Partial<Draft>) => setDraft((old) => ({ ...old, ...change }));
  const missing = missingIn(draft);
  return (
    <div className="editor">
      <EditorForm schedule={schedule} draft={draft} missing={missing}>
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
  draft: Draft;
  missing: string | null;
  children: React.ReactNode;
}

function EditorForm({ schedule, draft, missing, children }: EditorFormProps) {
  const save = useSaveSchedule(schedule?.id ?? null);
  const navigate = useNavigate();
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing) return;
    save.mutate(draft, {
      onSuccess: (saved) => {
        toast({ kind: 'success', title: `${saved.name || draft.name} saved` });
        letGo();
        navigate(`${paths.onCall}?schedule=${saved.id}`);
      },
    });
  };
  const word = schedule ? 'Save schedule' : 'Create schedule';
  return (
    <form className="editor-form" aria-label="Schedule" onSubmit={submit}>
      {children}
      <div className="save-bar">
        {save.isError && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
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
      <p className="editor-note">
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
