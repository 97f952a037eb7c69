import type { HourLoadJson } from '@nightbell/proto';
import * as styles from './charts.module.css';

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const row = 29;
const cell = 26;

/** How many pages came in each hour of the week. More is lighter, darker on paper, and the number stands in it. */
export function HeatMap({ load, label }: { load: readonly HourLoadJson[]; label: string }) {
  const pages = new Map(
    load.map(({ weekday = 1, hour = 0, page_count = 0 }) => [weekday * 24 + hour, page_count]),
  );
  const most = Math.max(1, ...pages.values());
  return (
    <>
      <div className={styles.heat}>
        <svg width="36" height={7 * row} aria-hidden="true">
          {weekdays.map((word, day) => (
            <text key={word} x="0" y={day * row + cell / 2} dominantBaseline="middle">
              {word}
            </text>
          ))}
        </svg>
        <svg width="100%" height={7 * row} role="img" aria-label={label}>
          {weekdays.map((word, day) =>
            hours.map((hour) => {
              const count = pages.get((day + 1) * 24 + hour) ?? 0;
              const level = count === 0 ? 0 : Math.max(1, Math.ceil((count / most) * 5));
              return (
                <g key={`${word}${hour}`}>
                  <rect
                    className={styles.cell}
                    data-level={level}
                    x={`${(hour / 24) * 100}%`}
                    y={day * row}
                    width={`${100 / 24 - 0.4}%`}
                    height={cell}
                    rx="3"
                  >
                    <title>{`${word} ${hour}:00: ${count}`}</title>
                  </rect>
                  {count > 0 && (
                    <text
                      className={styles.count}
                      data-level={level}
                      x={`${((hour + 0.5) / 24) * 100 - 0.2}%`}
                      y={day * row + cell / 2}
                      textAnchor="middle"
                      dominantBaseline="central"
                    >
                      {count}
                    </text>
                  )}
                </g>
              );
            }),
          )}
        </svg>
      </div>
      <p className={styles.hours} aria-hidden="true">
        {['00', '06', '12', '18', '24'].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </p>
      <p className={styles.legend} aria-hidden="true">
        <span>Fewer</span>
        <svg width="110" height="12">
          {[0, 1, 2, 3, 4, 5].map((level) => (
            <rect
              key={level}
              className={styles.cell}
              data-level={level}
              x={level * 18}
              width="16"
              height="12"
              rx="3"
            />
          ))}
        </svg>
        <span>{most === 1 ? '1 page' : `up to ${most} pages in an hour of the week`}</span>
      </p>
    </>
  );
}
