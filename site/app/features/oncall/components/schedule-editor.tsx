import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { DraftProblem } from '~/components/draft-problem';
import { Button, ButtonLink } from '~/components/ui/button';
import { Submit } from '~/components/ui/submit';
import { policyList } from '~/data/policies';
import { scheduleById, useSaveSchedule } from '~/data/schedules';
import { teamList } from '~/data/teams';
import { useDraft } from '~/lib/draft';
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
  scheduleStored,
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
  const edit = useScheduleDraft(schedule, now);
  const { draft, base, set } = edit;
  return (
    <div className={styles.editor}>
      <form className={styles.editorForm} aria-label="Schedule" onSubmit={edit.submit}>
        <ScheduleFacts draft={draft} onChange={set} />
        <Layers draft={draft} now={now} onChange={(layers) => set({ layers })} />
        <div className={styles.saveBar}>
          <DraftProblem of={edit} />
          <ButtonLink to={paths.onCall}>Cancel</ButtonLink>
          <Submit pending={edit.pending} doing="Saving...">
            {base ? 'Save schedule' : 'Create schedule'}
          </Submit>
        </div>
      </form>
      <DraftPreview scheduleId={base?.id ?? ''} draft={draft} missing={missingIn(draft)} now={now} />
    </div>
  );
}

function useScheduleDraft(schedule: Schedule | null, now: number) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [teams, policies] = [useQuery(teamList).data, useQuery(policyList).data];
  return useDraft({
    stored: schedule,
    what: `schedule ${schedule?.id ?? 'new'}`,
    draftOf: (stored) => (stored ? draftOf(stored) : newDraft(readersZone(), now)),
    storedAs: scheduleStored,
    request: (draft, base) =>
      missingIn(draft) ?? { id: base?.id ?? '', etag: base?.etag, ...toScheduleRequest(draft) },
    save: useSaveSchedule(),
    storedBy: toSchedule,
    onSaved: ({ id, name }, stays) => {
      toast({ kind: 'success', title: `${name} saved` });
      if (!stays) navigate(`${paths.onCall}?schedule=${id}`);
    },
    fetchNow: async (base) =>
      base ? client.query({ ...scheduleById(base.id), select: toSchedule }) : undefined,
    words: () => draftWords(teams, policies),
    onTop: draftOnTop,
  });
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
