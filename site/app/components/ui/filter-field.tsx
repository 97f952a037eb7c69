import * as fieldStyles from './field.module.css';
import * as styles from './filter-field.module.css';
import { Icon } from './icon';

/** The line above a list: a field that narrows it while typing, and how much of it is shown. */
export function FilterField({
  label,
  text,
  onChange,
  shown,
  total,
}: {
  label: string;
  text: string;
  onChange: (text: string) => void;
  shown: number;
  /** Absent while that is not known. */
  total: number | undefined;
}) {
  return (
    <div className={styles.filterField}>
      <div className={fieldStyles.field}>
        <Icon name="search" />
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <span className="size-12 text-3" role="status">
        {total !== undefined && (shown === total ? total : `${shown} of ${total}`)}
      </span>
    </div>
  );
}
