import type { GetServiceSamplesResponseJson, SampleSeriesJson } from '@nightbell/proto';
import { dateOf, toMs } from '~/lib/time/instant';

/** What was measured under one name over some hours, in words and as a line. */
export interface Reading {
  name: string;
  label: string;
  /** A name of the service's own, not one that every service has. */
  own: boolean;
  /** Something was reported under this name, though perhaps not in the range. */
  known: boolean;
  /** The latest reading, or what follows from incidents; empty when the range has none. */
  value: string;
  unit: string;
  at: Date | null;
  /** The mean and the largest of the range. */
  note: string;
  /** The readings as an SVG path on a field of 240 by 40. */
  line: string;
}

// The tiles that every service has, whether or not something was reported.
const usual = { uptime: 'Uptime', latency: 'Latency', error_rate: 'Error rate' };

const width = 240;
const height = 40;
const margin = 2;

/** The readings of an answer: uptime, latency and error rate first, then the service's own by name. */
export function readingsOf(answer: GetServiceSamplesResponseJson): readonly Reading[] {
  const series = new Map((answer.series ?? []).map((one) => [one.name ?? '', one]));
  const names = [...new Set([...Object.keys(usual), ...series.keys()])];
  return names.map((name) =>
    name === 'uptime' && !series.has(name) && answer.uptime !== undefined
      ? uptimeOf(numberOf(answer.uptime))
      : readingOf(name, series.get(name), answer),
  );
}

// What is down for a moment is not 100 %.
function uptimeOf(share: number): Reading {
  const percent = share === 1 ? 100 : Math.min(99.999, Math.floor(share * 100_000) / 1000);
  return {
    ...readingOf('uptime', undefined, {}),
    value: percent.toLocaleString('en', { maximumFractionDigits: 3 }),
    unit: '%',
    note: 'Without a critical incident',
  };
}

function readingOf(
  name: string,
  series: SampleSeriesJson | undefined,
  { since = '', until = '', step_seconds = 60 }: GetServiceSamplesResponseJson,
): Reading {
  const points = series?.points ?? [];
  const last = points.at(-1);
  const counts = points.map((point) => point.sample_count ?? 0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const mean = points.reduce((sum, point, i) => sum + numberOf(point.average) * (counts[i] ?? 0), 0) / total;
  const most = Math.max(...points.map((point) => numberOf(point.max)));
  const written = (value: number) => measured(value, series?.unit, name).join(' ').trim();
  const [value, unit] = last ? measured(numberOf(last.last), series?.unit, name) : ['', ''];
  return {
    name,
    own: !(name in usual),
    known: series !== undefined,
    label: usual[name as keyof typeof usual] ?? name,
    value,
    unit,
    at: last?.at ? dateOf(last.at) : null,
    note: last ? `${written(mean)} on average, ${written(most)} at most` : '',
    line: lineOf(
      points.map((point) => [toMs(point.at), numberOf(point.average)]),
      toMs(since),
      toMs(until),
      step_seconds * 1000,
    ),
  };
}

// JSON has no number for what is none.
function numberOf(value: number | string | undefined): number {
  return Number(value ?? 0);
}

/** A value and its unit as people read them: 2.31 s of 2310 ms, 1.2 % of a share of 0.012. */
export function measured(value: number, unit = '', name = ''): [value: string, unit: string] {
  if (unit === 'ms' && Math.abs(value) >= 1000) return measured(value / 1000, 's');
  const share = ['error_rate', 'uptime'].includes(name) && ['', '1', 'ratio'].includes(unit);
  if (share) return measured(value * 100, '%');
  const size = Math.abs(value);
  const digits =
    unit === '%' && size >= 0.1
      ? { maximumFractionDigits: 2 }
      : { maximumSignificantDigits: size >= 1000 ? 6 : 3 };
  return [value.toLocaleString('en', digits), unit === '1' ? '' : unit];
}

// A line from reading to reading; where two steps or more have none it is broken.
function lineOf(points: [at: number, value: number][], since: number, until: number, step: number): string {
  const values = points.map(([, value]) => value);
  const least = Math.min(...values);
  const span = Math.max(...values) - least;
  let before = Number.NEGATIVE_INFINITY;
  return points
    .map(([at, value]) => {
      const x = ((at - since) / (until - since)) * width;
      const y = span === 0 ? height / 2 : height - margin - ((value - least) / span) * (height - 2 * margin);
      const joins = at - before <= 2 * step;
      before = at;
      // A reading alone is a dot: a line of no length with round ends.
      return `${joins ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}${joins ? '' : 'h0'}`;
    })
    .join('');
}
