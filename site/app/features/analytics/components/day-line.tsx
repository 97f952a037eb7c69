import { isWeekend, shortDay } from '~/lib/time/day';
import { type Cell, shown } from '../model/sheet';
import * as styles from './charts.module.css';

interface DayLineProps {
  /** What is drawn, for who does not see it. */
  label: string;
  days: readonly string[];
  /** Seconds of each day; undefined on days without any. */
  values: readonly (number | undefined)[];
  before?: readonly (number | undefined)[];
}

const height = 180;
const seconds = { word: '', unit: 'seconds' } as const;

/** Lengths of time day by day, those of the period before as a dashed line; weekends are shaded. */
export function DayLine({ label, days, values, before = [] }: DayLineProps) {
  const known = [...values, ...before].filter((value) => value !== undefined);
  const top = roundTop(Math.max(60, ...known));
  const middle = (at: number) => at + 0.5;
  const y = (value: number) => height - (value / top) * (height - 12);
  return (
    <>
      <div className={styles.plot}>
        <svg className={styles.scale} width="44" height={height + 8} aria-hidden="true">
          {[0, top / 2, top].map((value) => (
            <text key={value} x="36" y={y(value)} textAnchor="end" dominantBaseline="middle">
              {value === 0 ? '0' : shown(value, seconds)}
            </text>
          ))}
        </svg>
        <svg
          width="100%"
          height={height}
          viewBox={`0 0 ${days.length} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          {days.map(
            (date, at) =>
              isWeekend(date) && (
                <rect key={date} className={styles.weekend} x={at} width="1" height={height} />
              ),
          )}
          {[0, top / 2, top].map((value) => (
            <path key={value} className={styles.grid} d={`M0 ${y(value)}H${days.length}`} />
          ))}
          <Line className={styles.beforeLine} values={before.slice(0, days.length)} at={middle} y={y} />
          <Line className={styles.line} values={values} at={middle} y={y} />
          {days.map((date, at) => (
            <rect key={date} className={styles.hit} x={at} width="1" height={height}>
              <title>{`${shortDay(date)}: ${said(values[at])}${before.length > 0 ? `, before ${said(before[at])}` : ''}`}</title>
            </rect>
          ))}
        </svg>
      </div>
      <DayScale days={days} />
    </>
  );
}

function said(value: number | undefined): string {
  const cell: Cell = value ?? null;
  return cell === null ? 'none' : shown(cell, seconds);
}

interface LineProps {
  className: string | undefined;
  values: readonly (number | undefined)[];
  at: (index: number) => number;
  y: (value: number) => number;
}

// Days without a value are left out, and the line goes on at the next; a day alone is a dash.
function Line({ className, values, at, y }: LineProps) {
  const points = values.flatMap((value, n) => (value === undefined ? [] : [[at(n), y(value)] as const]));
  if (points.length === 0) return null;
  const [first = [0, 0] as const] = points;
  const d =
    points.length === 1
      ? `M${first[0] - 0.3} ${first[1]}h0.6`
      : `M${points.map(([x, height]) => `${x} ${height.toFixed(1)}`).join('L')}`;
  return <path className={className} d={d} />;
}

/** The first, the middle and the last day under a chart. */
export function DayScale({ days }: { days: readonly string[] }) {
  const [first, last] = [days[0], days.at(-1)];
  const between = days.length > 4 ? days[Math.floor(days.length / 2)] : undefined;
  if (!first || !last) return null;
  return (
    <p className={styles.days} aria-hidden="true">
      <span>{shortDay(first)}</span>
      {between && <span>{shortDay(between)}</span>}
      {last !== first && <span>{shortDay(last)}</span>}
    </p>
  );
}

// A length of time that reads well at the top and at half of it.
function roundTop(most: number): number {
  const steps = [60, 120, 240, 360, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 28_800, 43_200, 86_400];
  const step = steps.find((one) => one >= most);
  return step ?? Math.ceil(most / 172_800) * 172_800;
}
