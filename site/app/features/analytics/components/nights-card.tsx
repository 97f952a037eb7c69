import type { PersonLoadJson } from '@nightbell/proto';
import { Avatar } from '~/components/ui/avatar';
import * as tableKit from '~/components/ui/table.module.css';
import { shortDay } from '~/lib/time/day';
import { plainDuration } from '~/lib/time/words';
import { type Figures, peopleSheet } from '../model/sheets';
import { countChange, counted, spanOf } from '../model/words';
import { FigureCard } from './figure-card';
import * as styles from './nights-card.module.css';

/** Who was woken how often: one mark for each night and person, as high as the sleep that it cost. */
export function NightsCard({
  of,
  hueOf,
}: {
  of: Figures;
  hueOf: (personId: string | undefined) => number | undefined;
}) {
  const { people = [], period = {} } = of;
  const nights = period.disturbed_night_count ?? 0;
  const before = of.pagesCompared ? of.before : undefined;
  const change = countChange(nights, before && (before.disturbed_night_count ?? 0));
  return (
    <FigureCard
      title="Nights and weekends"
      note="One mark a night"
      figure={counted(nights, 'night')}
      sentence={
        <>
          {nights === 0
            ? 'Nobody was paged at night.'
            : `Disturbed, at ${plainDuration(period.sleep_lost_seconds ?? 0)} of sleep.`}{' '}
          {change && `${before?.disturbed_night_count ?? 0} in the days before, ${spanOf(before)}.`}
        </>
      }
      sheet={peopleSheet(of)}
    >
      {people.length === 0 ? (
        <p className={`${styles.none} text-2`}>Nobody was paged.</p>
      ) : (
        <table className={`${tableKit.table} ${styles.nights}`}>
          <thead>
            <tr>
              <th scope="col">Person</th>
              <th scope="col">{spanOf(period)}</th>
              <th scope="col">Nights</th>
              <th scope="col">Sleep lost</th>
              <th scope="col">Weekends</th>
              <th scope="col">Pages</th>
            </tr>
          </thead>
          <tbody>
            {people.map((person) => (
              <Row
                key={person.user_id}
                person={person}
                hue={hueOf(person.user_id)}
                days={of.days}
                compared={of.pagesCompared}
              />
            ))}
          </tbody>
        </table>
      )}
      <p className={styles.rule}>
        A night is 22:00 to 07:00 in each person's own time zone; one page disturbs it. Sleep is lost from the
        page until they acknowledged, and until it was over if that was the same night, plus 30 minutes.
      </p>
    </FigureCard>
  );
}

interface RowProps {
  person: PersonLoadJson;
  hue: number | undefined;
  days: readonly string[];
  compared: boolean;
}

function Row({ person: { name = '', figures = {}, before = {} }, hue, days, compared }: RowProps) {
  const cells = [
    ['Nights', figures.night_count ?? 0, before.night_count ?? 0, String],
    ['Sleep lost', figures.sleep_lost_seconds ?? 0, before.sleep_lost_seconds ?? 0, plainDuration],
    ['Weekends', figures.weekend_count ?? 0, before.weekend_count ?? 0, String],
    ['Pages', figures.page_count ?? 0, before.page_count ?? 0, String],
  ] as const;
  return (
    <tr>
      <td className={styles.person}>
        <Avatar name={name} hue={hue} />
        <span className="ellipsis">{name}</span>
      </td>
      <td className={styles.strip}>
        <Strip
          days={days}
          nights={figures.nights ?? []}
          label={
            figures.nights?.length
              ? `Disturbed: ${figures.nights.map(({ date = '' }) => shortDay(date)).join(', ')}`
              : 'No night disturbed'
          }
        />
      </td>
      {cells.map(([word, now, then, say]) => (
        <td key={word} data-label={word}>
          <b className={now === 0 ? styles.zero : undefined}>{now === 0 ? '0' : say(now)}</b>
          {compared && <span className={styles.then}>{then === 0 ? '0' : say(then)} before</span>}
        </td>
      ))}
    </tr>
  );
}

const height = 28;
// As much sleep as makes the highest mark.
const fullNight = 4 * 60 * 60;

function Strip({
  days,
  nights,
  label,
}: {
  days: readonly string[];
  nights: readonly { date?: string; page_count?: number; sleep_lost_seconds?: number }[];
  label: string;
}) {
  const marks = new Map(nights.map((night) => [night.date ?? '', night]));
  // The night before the first day ends on it.
  const all = nights.some(({ date = '' }) => date < (days[0] ?? '')) ? ['', ...days] : days;
  return (
    <svg
      width="100%"
      height={height}
      viewBox={`0 0 ${all.length} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {all.map((date, at) => {
        const night = marks.get(date) ?? (date === '' ? nights[0] : undefined);
        const share = Math.min(1, (night?.sleep_lost_seconds ?? 0) / fullNight);
        const tall = night ? 8 + share * (height - 8) : 2;
        return (
          <rect
            key={date}
            className={night ? styles.woken : styles.slept}
            x={at + 0.15}
            width="0.7"
            y={height - tall}
            height={tall}
          >
            {night && (
              <title>
                {`${shortDay(night.date ?? '')}: ${counted(night.page_count ?? 0, 'page')}, ${plainDuration(night.sleep_lost_seconds ?? 0)} of sleep`}
              </title>
            )}
          </rect>
        );
      })}
    </svg>
  );
}
