import { Button } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';

/** A field that somebody else changed, as words for people. */
export interface TheirChange {
  label: string;
  theirs: string;
  /** Empty when the reader did not change it. */
  yours: string;
}

interface EditConflictProps {
  changes: readonly TheirChange[];
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** What somebody else stored while this was being edited, beside what the reader wrote, and the two ways on. */
export function EditConflict({ changes, onKeepMine, onTakeTheirs }: EditConflictProps) {
  return (
    <Banner tone="failed">
      <p>Somebody else changed this while you were writing. Nothing of yours is stored yet.</p>
      <ul>
        {changes.map(({ label, theirs, yours }) => (
          <li key={label}>
            <b className="strong">{label}</b>: theirs is {theirs || 'empty'}
            {yours && `; yours is ${yours}`}
          </li>
        ))}
      </ul>
      <div className="choices">
        <Button onClick={onTakeTheirs}>Take theirs</Button>
        <Button onClick={onKeepMine}>Keep mine on top</Button>
      </div>
    </Banner>
  );
}
