import * as styles from './charts.module.css';

const height = 36;

/** A bar for each day, as high as its number beside the highest of all rows. */
export function DayBars({
  days,
  values,
  most,
  label,
}: {
  days: readonly string[];
  values: readonly number[];
  most: number;
  label: string;
}) {
  return (
    <svg
      className={styles.bars}
      width="100%"
      height={height}
      viewBox={`0 0 ${values.length} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className={styles.grid} d={`M0 ${height - 0.5}H${values.length}`} />
      {values.map((value, at) => {
        const tall = value === 0 ? 0 : Math.max(4, (value / Math.max(1, most)) * height);
        return (
          <rect
            key={days[at]}
            className={styles.bar}
            x={at + 0.15}
            y={height - tall}
            width="0.7"
            height={tall}
          />
        );
      })}
    </svg>
  );
}

/** A bar from the left; a stroke says how long it was before. */
export function AcrossBar({ value, before, most }: { value: number; before?: number; most: number }) {
  const share = (n: number) => `${(n / Math.max(1, most)) * 100}%`;
  return (
    <svg className={styles.bars} width="100%" height="22" aria-hidden="true">
      <rect className={styles.track} y="8" width="100%" height="6" rx="3" />
      <rect className={styles.bar} y="5" width={share(value)} height="12" rx="3" />
      {before !== undefined && (
        <line className={styles.tick} x1={share(before)} x2={share(before)} y1="1" y2="21" />
      )}
    </svg>
  );
}
