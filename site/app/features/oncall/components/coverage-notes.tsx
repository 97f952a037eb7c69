import { Icon } from '~/components/ui/icon';
import type { Problem } from '../model/schedule';
import * as styles from './timeline-card.module.css';

/** What is wrong with coverage besides gaps: somebody on two schedules, somebody without a way to be reached. */
export function CoverageNotes({
  problems,
  incomplete,
}: {
  problems: readonly Problem[];
  /** What the server did not look at, in a sentence; empty when it looked at everything. */
  incomplete: string;
}) {
  const notes = problems.filter((problem) => problem.kind !== 'gap');
  if (notes.length === 0 && incomplete === '') return null;
  return (
    <ul className={styles.coverageNotes} aria-label="Conflicts in the next 30 days">
      {notes.slice(0, 5).map((note) => (
        <li key={`${note.kind} ${note.from} ${note.message}`}>
          <Icon name="alert" />
          <span>{note.message}</span>
        </li>
      ))}
      {incomplete !== '' && <li className="text-3">{incomplete}</li>}
      {notes.length > 5 && <li className="text-3">And {notes.length - 5} more.</li>}
    </ul>
  );
}
