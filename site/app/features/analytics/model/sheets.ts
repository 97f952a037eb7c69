import type {
  AlertNoiseJson,
  DayFiguresJson,
  GetAnalyticsResponseJson,
  GroupFiguresJson,
  IncidentFiguresJson,
  PersonFiguresJson,
} from '@nightbell/proto';
import { later, toDate } from '~/lib/time/instant';
import type { Cell, Column, Sheet } from './sheet';

/** The answer, with what the page asks of it more than once. */
export interface Figures extends GetAnalyticsResponseJson {
  days: readonly string[];
  /** Whether there is a period before, and whether its pages are still kept. */
  compared: boolean;
  pagesCompared: boolean;
  /** Since when pages are kept, where that is within what is shown. */
  pagesSince: Date | null;
}

const day = 24 * 60 * 60 * 1000;

/** Reads the answer at a moment: pages of long ago are not kept, so they compare with nothing. */
export function toFigures(answer: GetAnalyticsResponseJson, now: Date): Figures {
  const keptFrom = later(now, -(answer.pages_kept_days ?? 0) * day);
  const begins = (period: { since?: string } | undefined) => toDate(period?.since) ?? now;
  const compared = answer.before !== undefined;
  return {
    ...answer,
    days: (answer.period?.days ?? []).map(({ date = '' }) => date),
    compared,
    pagesCompared: compared && begins(answer.before) >= keptFrom,
    pagesSince: begins(answer.before ?? answer.period) < keptFrom ? keptFrom : null,
  };
}

const seconds = (word: string): Column => ({ word, unit: 'seconds' });
const words = (...list: string[]): Column[] => list.map((word) => ({ word }));
const n = (value: number | undefined): number => value ?? 0;
const known = (value: number | undefined): Cell => value ?? null;

/** People: what they were paged for, and what it cost. */
export function peopleSheet({ people = [], compared }: Figures): Sheet {
  const own = (f: PersonFiguresJson = {}): Cell[] => [
    n(f.night_count),
    n(f.night_page_count),
    n(f.sleep_lost_seconds),
    n(f.weekend_count),
    n(f.weekend_page_count),
    n(f.page_count),
    n(f.incident_count),
    n(f.acknowledged_count),
    known(f.mtta_seconds),
    known(f.mttr_seconds),
  ];
  const columns = [
    ...words('Nights disturbed', 'Pages at night'),
    seconds('Sleep lost'),
    ...words('Weekends disturbed', 'Pages at weekends', 'Pages', 'Incidents', 'Acknowledged'),
    seconds('MTTA'),
    seconds('MTTR'),
  ];
  return {
    file: 'people',
    columns: [...words('Person', 'Time zone'), ...columns, ...(compared ? columns.map(before) : [])],
    rows: people.map((person) => [
      person.name ?? '',
      person.timezone ?? '',
      ...own(person.figures),
      ...(compared ? own(person.before) : []),
    ]),
  };
}

/** Services, teams or severities. */
export function groupSheet(
  file: string,
  word: string,
  groups: readonly GroupFiguresJson[] = [],
  none: string,
  compared: boolean,
): Sheet {
  const columns = [
    ...words('Incidents', 'Acknowledged', 'Resolved', 'Pages'),
    seconds('MTTA'),
    seconds('MTTR'),
  ];
  return {
    file,
    columns: [{ word }, ...columns, ...(compared ? columns.map(before) : [])],
    rows: groups.map((group) => [
      group.name || none,
      ...figures(group.figures),
      ...(compared ? figures(group.before) : []),
    ]),
  };
}

function figures(f: IncidentFiguresJson = {}): Cell[] {
  return [
    n(f.incident_count),
    n(f.acknowledged_count),
    n(f.resolved_count),
    n(f.page_count),
    known(f.mtta_seconds),
    known(f.mttr_seconds),
  ];
}

/** Days with all their figures. */
export function daySheet(file: string, days: readonly DayFiguresJson[] = []): Sheet {
  return {
    file,
    columns: [
      ...words('Day', 'Incidents', 'Acknowledged', 'Resolved', 'Pages'),
      seconds('MTTA'),
      seconds('MTTR'),
      ...words('Critical', 'High', 'Medium', 'Low'),
    ],
    rows: days.map((one) => [
      one.date ?? '',
      ...figures(one.figures),
      n(one.critical_count),
      n(one.high_count),
      n(one.medium_count),
      n(one.low_count),
    ]),
  };
}

/** Hours of the week, all of them. */
export function hourSheet({ hours = [] }: Figures, weekdays: readonly string[]): Sheet {
  const pages = new Map(hours.map((one) => [`${one.weekday ?? 1} ${one.hour ?? 0}`, n(one.page_count)]));
  const clock = Array.from({ length: 24 }, (_, hour) => hour);
  return {
    file: 'pages-by-hour',
    columns: words('Weekday', ...clock.map((hour) => `${String(hour).padStart(2, '0')}:00`)),
    rows: weekdays.map((word, at) => [word, ...clock.map((hour) => pages.get(`${at + 1} ${hour}`) ?? 0)]),
  };
}

/** The noisiest alerts. */
export function alertSheet({ alerts = [], compared }: Figures): Sheet {
  return {
    file: 'noisiest-alerts',
    columns: [
      ...words('Alert', 'Service', 'Incidents', 'Ended by themselves', 'Pages'),
      ...(compared ? words('Pages before') : []),
      ...words('Pages at night'),
      seconds('Sleep lost'),
    ],
    rows: alerts.map((one: AlertNoiseJson) => [
      one.title ?? '',
      one.service_name || 'No service',
      n(one.incident_count),
      n(one.unanswered_count),
      n(one.page_count),
      ...(compared ? [n(one.before_page_count)] : []),
      n(one.night_page_count),
      n(one.sleep_lost_seconds),
    ]),
  };
}

function before(column: Column): Column {
  return { ...column, word: `${column.word} before` };
}
