import { useState } from 'react';
import { HoursEditor } from '~/components/hours-editor';
import { IconButton } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { SelectField, TextField } from '~/components/ui/field';
import * as fieldKit from '~/components/ui/field.module.css';
import { Segmented } from '~/components/ui/segmented';
import { DateTimeField, TimeField } from '~/components/ui/time-field';
import { office, weekdays } from '~/lib/time/week';
import { capitalised } from '~/lib/words';
import { cadences, type LayerDraft } from '../model/draft';
import type { Rotation } from '../model/schedule';
import { cadenceWords } from '../model/words';
import * as fieldNoteStyles from './field-note.module.css';
import { OrderButtons } from './order-buttons';
import * as styles from './schedule-editor.module.css';
import { SeatList } from './seat-list';

const custom = 'custom';
const units = ['hour', 'day', 'week'] as const;
const presence = [
  { value: 'always', content: 'Always' },
  { value: 'windows', content: 'Some hours or days' },
] as const;

interface LayerEditorProps {
  layer: LayerDraft;
  place: number;
  count: number;
  zone: string;
  onChange: (layer: LayerDraft) => void;
  onMove: (step: 1 | -1) => void;
  onRemove: () => void;
}

/** One rotation: who takes turns, how often turns change, and when the layer is on. */
export function LayerEditor({ layer, place, count, zone, onChange, onMove, onRemove }: LayerEditorProps) {
  const set = (change: Partial<LayerDraft>) => onChange({ ...layer, ...change });
  const name = layer.name.trim() || `Layer ${place + 1}`;
  return (
    <Card
      title={`${place + 1}. ${name}`}
      actions={
        <OrderButtons name={name} place={place} count={count} onMove={onMove}>
          <IconButton icon="x" size="sm" label={`Remove ${name}`} onClick={onRemove} />
        </OrderButtons>
      }
    >
      <div className={`${cardKit.pad} ${styles.editorFields}`}>
        <TextField
          label="Rotation name"
          required
          maxLength={200}
          value={layer.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <SeatList seats={layer.seats} onChange={(seats) => set({ seats })} />
        <Cadence layer={layer} onChange={set} />
        <div className={`${styles.pair} ${styles.dates}`}>
          <DateTimeField
            label="Starts"
            required
            value={layer.startsAt}
            onChange={(startsAt) => set({ startsAt })}
          />
          <DateTimeField label="Ends" optional value={layer.endsAt} onChange={(endsAt) => set({ endsAt })} />
        </div>
        <p className={fieldNoteStyles.fieldNote}>
          {cadenceWords(layer)}, on the wall clock of {zone}. The first turn is on at the start.
        </p>
        <div>
          <span className={fieldKit.label}>On</span>
          <Segmented
            label={`When ${name} is on`}
            look="wide"
            choices={presence}
            value={layer.windows.length > 0 ? 'windows' : 'always'}
            onChoose={(choice) => set({ windows: choice === 'always' ? [] : [office] })}
          />
        </div>
        {layer.windows.length > 0 && (
          <HoursEditor hours={layer.windows} onChange={(windows) => set({ windows })} />
        )}
      </div>
    </Card>
  );
}

interface CadenceProps {
  layer: LayerDraft;
  onChange: (change: Partial<LayerDraft>) => void;
}

function Cadence({ layer, onChange }: CadenceProps) {
  const preset = cadences.find((one) => one.unit === layer.unit && one.length === layer.length);
  const [free, setFree] = useState(!preset);
  const choose = (value: string) => {
    const chosen = cadences.find((one) => one.value === value);
    setFree(!chosen);
    if (chosen) onChange({ unit: chosen.unit, length: chosen.length });
  };
  return (
    <>
      <div className={styles.pair}>
        <SelectField
          label="Turns change"
          options={[...cadences, { value: custom, word: 'At another pace' }]}
          value={free || !preset ? custom : preset.value}
          onChange={(event) => choose(event.target.value)}
        />
        <TimeField
          label={layer.unit === 'hour' ? 'Counted from' : 'Handover at'}
          required
          value={layer.handover}
          onChange={(handover) => onChange({ handover })}
        />
      </div>
      {(free || layer.unit === 'week') && (
        <div className={styles.pair}>
          {free && <Pace layer={layer} onChange={onChange} />}
          {layer.unit === 'week' && (
            <SelectField
              label="Handover on"
              options={weekdays.map((value) => ({ value, word: capitalised(value) }))}
              value={layer.weekday}
              onChange={(event) => onChange({ weekday: event.target.value })}
            />
          )}
        </div>
      )}
      <p className="size-12 text-3">{paceInWords(layer)}</p>
    </>
  );
}

// What people do not expect of a pace before it happens to them at night.
function paceInWords({ unit, length }: LayerDraft): string {
  if (unit === 'hour')
    return 'Hours are those of the clock: the turn across a change of clocks is an hour shorter in spring and an hour longer in autumn.';
  if (length > 1)
    return `The first turn ends ${length} ${unit}s after the last handover time before the start, so it may be shorter than the others.`;
  return 'The first turn ends at the first handover after the start.';
}

function Pace({ layer, onChange }: CadenceProps) {
  return (
    <div className={styles.pair}>
      <TextField
        label="Every"
        type="number"
        min={1}
        max={720}
        required
        value={Number.isNaN(layer.length) ? '' : layer.length}
        onChange={(event) => onChange({ length: event.target.valueAsNumber })}
      />
      <SelectField
        label="Unit"
        options={units.map((value) => ({ value, word: `${capitalised(value)}s` }))}
        value={layer.unit}
        onChange={(event) => onChange({ unit: unitOf(event.target.value) })}
      />
    </div>
  );
}

function unitOf(word: string): Rotation['unit'] {
  return units.find((unit) => unit === word) ?? 'day';
}
