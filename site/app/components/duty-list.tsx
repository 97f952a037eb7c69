import type { DutyJson } from '@nightbell/proto';
import * as styles from './duty-list.module.css';

const most = 5;

/** What names somebody, by kind; kinds without any are left out. */
export function DutyList({
  kinds,
}: {
  kinds: readonly (readonly [string, readonly DutyJson[] | undefined])[];
}) {
  return (
    <dl className={styles.duties}>
      {kinds.map(([word, list = []]) => {
        if (list.length === 0) return null;
        const names = list.slice(0, most).map(({ name }) => name);
        return (
          <div key={word}>
            <dt>{word}</dt>
            <dd>
              {names.join(', ')}
              {list.length > most && ` and ${list.length - most} more`}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
