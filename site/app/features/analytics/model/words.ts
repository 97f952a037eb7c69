import type { AnalyticsPeriodJson } from '@nightbell/proto';
import { shortDay } from '~/lib/time/day';
import { plainDuration } from '~/lib/time/words';

/** What became of a figure: `better` says whether that is good news, and is absent where it is neither. */
export interface Change {
  words: string;
  better?: boolean;
}

/** "12 fewer", "3 more", "as many". Undefined while one is not known. */
export function countChange(now: number, before: number | undefined): Change | undefined {
  if (before === undefined) return undefined;
  if (now === before) return { words: 'as many' };
  const fewer = now < before;
  return { words: `${Math.abs(now - before)} ${fewer ? 'fewer' : 'more'}`, better: fewer };
}

/** "1m 30s sooner", "10m slower". Undefined where one of the periods has none. */
export function timeChange(
  now: number | undefined,
  before: number | undefined,
  words: readonly [string, string] = ['faster', 'slower'],
): Change | undefined {
  if (now === undefined || before === undefined) return undefined;
  if (now === before) return { words: 'as long' };
  const less = now < before;
  return { words: `${plainDuration(Math.abs(now - before))} ${less ? words[0] : words[1]}`, better: less };
}

/** "1 page", "2 pages". */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** "25 Oct to 24 Nov", by the days of a period. */
export function spanOf(period: AnalyticsPeriodJson | undefined): string {
  const days = period?.days ?? [];
  const [first, last] = [days[0]?.date, days.at(-1)?.date];
  if (!first || !last) return '';
  return first === last ? shortDay(first) : `${shortDay(first)} to ${shortDay(last)}`;
}

/** The period in a paragraph, to be passed on. */
export function summary(
  period: AnalyticsPeriodJson,
  before: AnalyticsPeriodJson | undefined,
  pagesBefore: boolean,
): string {
  const { figures = {}, disturbed_night_count: nights = 0, sleep_lost_seconds: sleep = 0 } = period;
  const than = (change: Change | undefined) => (change ? `, ${change.words} than before` : '');
  const known = pagesBefore ? before : undefined;
  const said = [
    `${counted(figures.incident_count ?? 0, 'incident')} from ${spanOf(period)}${than(
      countChange(figures.incident_count ?? 0, before && (before.figures?.incident_count ?? 0)),
    )}`,
    figures.mtta_seconds === undefined
      ? 'None was acknowledged'
      : `People acknowledged in ${plainDuration(figures.mtta_seconds)} on average${than(
          timeChange(figures.mtta_seconds, before?.figures?.mtta_seconds),
        )}`,
    figures.mttr_seconds !== undefined &&
      `It was over after ${plainDuration(figures.mttr_seconds)}${than(
        timeChange(figures.mttr_seconds, before?.figures?.mttr_seconds),
      )}`,
    nights === 0
      ? 'Nobody was paged at night'
      : `${counted(nights, 'night was', 'nights were')} disturbed, at ${plainDuration(sleep)} of sleep${than(
          countChange(nights, known && (known.disturbed_night_count ?? 0)),
        )}`,
  ];
  return said
    .filter(Boolean)
    .map((sentence) => `${sentence}.`)
    .join(' ');
}
