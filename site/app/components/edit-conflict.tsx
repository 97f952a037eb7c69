import { Button } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import type { TheirChange } from '~/lib/edits';
import * as styles from './edit-conflict.module.css';

interface EditConflictProps {
  changes: readonly TheirChange[];
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** What somebody else stored while this was being edited, beside what the reader wrote, and the two ways on. */
export function EditConflict({ changes, onKeepMine, onTakeTheirs }: EditConflictProps) {
  return (
    <Banner tone="failed">
      <p className="strong">Somebody else changed this while you were writing</p>
      <p>Nothing of yours is stored yet.</p>
      <Changes
        heads={['Theirs, stored', 'Yours']}
        rows={changes.map(({ label, theirs, yours }) => [label, theirs, yours ?? unchanged])}
      />
      <div className={dialogKit.choices}>
        <Button onClick={onTakeTheirs}>Take theirs</Button>
        <Button onClick={onKeepMine}>Keep mine on top</Button>
      </div>
      <p className="text-2 size-12">
        Where you changed nothing, theirs stays either way. Nothing is stored before you save.
      </p>
    </Banner>
  );
}

/** What somebody else changed since the reader asked to delete it. The reader decides again. */
export function DeleteConflict({ changes }: { changes: readonly TheirChange[] }) {
  return (
    <Banner tone="failed">
      <p className="strong">Somebody else changed this since you read it</p>
      <p>It is still there. Delete it as it is now, or keep it.</p>
      <Changes
        heads={['You read', 'It is now']}
        rows={changes.map(({ label, was, theirs }) => [label, was, theirs])}
      />
    </Banner>
  );
}

const unchanged = <span className="text-2">not changed by you</span>;

interface ChangesProps {
  heads: readonly [string, string];
  rows: readonly (readonly [label: string, one: string, other: React.ReactNode])[];
}

function Changes({ heads, rows }: ChangesProps) {
  if (rows.length === 0) return null;
  return (
    <table className={styles.conflict}>
      <thead>
        <tr>
          <th scope="col">Changed</th>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, one, other]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>{one}</td>
            <td>{other}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
