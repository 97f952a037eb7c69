import { dayOf, daysBetween, instantOf, nightsBetween } from '~/lib/time/zone';
import { clockWords, dayWords } from '~/lib/time/zone-words';
import { type Jump, percent } from '../model/picture';
import type { Range, Span } from '../model/range';
import * as styles from './timeline-picture.module.css';

/** Hours of the wall clock, 22 to 06, shaded; over a month weekends instead, because nights would be hatching. */
export function Nights({ range, zone, span }: { range: Range; zone: string; span: Span }) {
  const shades = span === 'month' ? weekends(range, zone) : nightsBetween(range.from, range.to, zone);
  return shades.map(({ from, to }) => {
    const left = Math.max(0, percent(from, range));
    const width = Math.min(100, percent(to, range)) - left;
    return (
      <i
        key={from}
        className={styles.night}
        aria-hidden="true"
        style={{ left: `${left}%`, width: `${width}%` }}
      />
    );
  });
}

/** Where now is. */
export function NowLine({ range, now, flag }: { range: Range; now: number; flag?: string }) {
  if (now < range.from || now >= range.to) return null;
  const at = percent(now, range);
  return (
    <i
      className={at > 92 ? `${styles.nowLine} ${styles.toLeft}` : styles.nowLine}
      aria-hidden="true"
      style={{ left: `${at}%` }}
    >
      {flag && <b>{flag}</b>}
    </i>
  );
}

/** Where the clocks change. */
export function JumpLines({
  range,
  jumps,
  named,
}: {
  range: Range;
  jumps: readonly Jump[];
  named?: boolean;
}) {
  return jumps
    .filter(({ at }) => at >= range.from && at < range.to)
    .map(({ at, message }) => {
      const left = percent(at, range);
      return (
        <i
          key={at}
          className={left < 20 ? `${styles.jumpLine} ${styles.toRight}` : styles.jumpLine}
          aria-hidden="true"
          style={{ left: `${left}%` }}
        >
          {named && <b>{message}</b>}
        </i>
      );
    });
}

interface TimeHeadProps {
  range: Range;
  span: Span;
  zone: string;
  now: number;
  jumps: readonly Jump[];
  narrow: boolean;
}

/** The scale above the lanes. The shifts carry their own times, so it is only for the eye. */
export function TimeHead({ range, span, zone, now, jumps, narrow }: TimeHeadProps) {
  if (narrow) return <HourScale />;
  const columns = span === 'day' ? hourColumns(range, zone) : dayColumns(range, span, zone, now);
  return (
    <div className={styles.timeHead} aria-hidden="true">
      <div className={styles.scale}>
        {columns.map(({ at, words, short, today }) => (
          <span
            key={at}
            className={today ? styles.today : undefined}
            style={{ left: `${percent(at, range)}%` }}
          >
            <span className={short ? styles.wordy : undefined}>{words}</span>
            {short && (
              <span className={styles.brief}>
                {short[0]} <small>{short[1]}</small>
              </span>
            )}
          </span>
        ))}
        <JumpLines range={range} jumps={jumps} named />
        <NowLine range={range} now={now} flag={clockWords(now, zone)} />
      </div>
    </div>
  );
}

function HourScale() {
  return (
    <div className={styles.hourScale} aria-hidden="true">
      {['00', '06', '12', '18', '24'].map((hour) => (
        <span key={hour}>{hour}</span>
      ))}
    </div>
  );
}

interface Column {
  at: number;
  words: string;
  /** Day and weekday, for columns too narrow for the words. */
  short?: [string, string];
  today?: boolean;
}

function dayColumns(range: Range, span: Span, zone: string, now: number): Column[] {
  const today = dayOf(now, zone).from;
  return daysBetween(range.from, range.to, zone).map((day, i) => ({
    at: day.from,
    words: dayWords(day, day.day === 1 || (i === 0 && span !== 'fortnight')),
    short: [String(day.day), dayWords(day, false).slice(0, 2)],
    today: day.from === today,
  }));
}

function hourColumns(range: Range, zone: string): Column[] {
  const { year, month, day } = dayOf(range.from, zone);
  return [0, 3, 6, 9, 12, 15, 18, 21].map((hour) => ({
    at: instantOf({ year, month, day, hour, minute: 0 }, zone),
    words: `${String(hour).padStart(2, '0')}:00`,
  }));
}

function weekends(range: Range, zone: string): Range[] {
  return daysBetween(range.from, range.to, zone)
    .filter((day) => day.weekday === 6 || day.weekday === 0)
    .map(({ from, to }) => ({ from, to }));
}
