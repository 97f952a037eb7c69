import { Button, IconButton } from '~/components/ui/button';
import { TimeField } from '~/components/ui/time-field';
import { capitalised } from '~/lib/words';
import type { Window } from '../model/schedule';
import * as fieldNoteStyles from './field-note.module.css';
import * as scheduleEditorStyles from './schedule-editor.module.css';
import * as styles from './shift-windows.module.css';

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const night = { days: [], from: '20:00', to: '08:00' };

interface WindowListProps {
  windows: readonly Window[];
  onChange: (windows: readonly Window[]) => void;
}

/** Days and hours at which a layer is on. An end at or before its start is on the next day. */
export function WindowList({ windows, onChange }: WindowListProps) {
  return (
    <div className={styles.windows}>
      {windows.map((one, i) => (
        <WindowRow
          // biome-ignore lint/suspicious/noArrayIndexKey: hours are their place in the list.
          key={i}
          place={i + 1}
          window={one}
          only={windows.length === 1}
          onChange={(changed) => onChange(windows.with(i, changed))}
          onRemove={() => onChange(windows.toSpliced(i, 1))}
        />
      ))}
      <Button size="sm" icon="plus" onClick={() => onChange([...windows, night])}>
        Add hours
      </Button>
    </div>
  );
}

interface WindowRowProps {
  place: number;
  window: Window;
  only: boolean;
  onChange: (window: Window) => void;
  onRemove: () => void;
}

function WindowRow({ place, window, only, onChange, onRemove }: WindowRowProps) {
  const { days, from, to } = window;
  const toggle = (day: string) =>
    onChange({ ...window, days: days.includes(day) ? days.filter((one) => one !== day) : [...days, day] });
  return (
    <fieldset className={styles.window} aria-label={`Hours ${place}`}>
      <div className={styles.days}>
        {weekdays.map((day) => (
          <button
            key={day}
            type="button"
            aria-pressed={days.includes(day)}
            aria-label={capitalised(day)}
            onClick={() => toggle(day)}
          >
            {capitalised(day).slice(0, 2)}
          </button>
        ))}
      </div>
      <div className={scheduleEditorStyles.pair}>
        <TimeField label="From" required value={from} onChange={(from) => onChange({ ...window, from })} />
        <TimeField label="To" required value={to} onChange={(to) => onChange({ ...window, to })} />
      </div>
      {!only && <IconButton icon="x" size="sm" label={`Remove hours ${place}`} onClick={onRemove} />}
      <p className={fieldNoteStyles.fieldNote}>{noteOf(window)}</p>
    </fieldset>
  );
}

function noteOf({ days, from, to }: Window): string {
  const which = days.length === 0 ? 'Every day.' : '';
  return `${which} ${to <= from ? 'Ends on the next day.' : ''}`.trim();
}
