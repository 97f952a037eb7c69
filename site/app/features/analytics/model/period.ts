import type { Asked } from '~/data/analytics';
import { dayStart, dayText } from '~/lib/time/day';
import { later } from '~/lib/time/instant';

/** The periods that are one press away, in days; the first of them is not the one without a choice. */
export const lengths = ['7', '30', '90'] as const;
export type Length = (typeof lengths)[number] | 'custom';

const usual = '30';
const longest = 400;
const day = 24 * 60 * 60 * 1000;

/** What the address says of the page. */
export interface View {
  length: Length;
  /** The first and the last day of a period of one's own, such as 2026-11-24. */
  from: string;
  to: string;
  /** What is wrong with those. */
  problem: string | null;
  compare: boolean;
  service: string;
  team: string;
}

/** Reads the address. A period of one's own is there when it has a first or a last day. */
export function viewOf(params: URLSearchParams): View {
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? ''];
  const days = params.get('days') ?? '';
  const custom = params.has('from') || params.has('to');
  const length: Length = custom ? 'custom' : (lengths.find((one) => one === days) ?? usual);
  return {
    length,
    from,
    to,
    problem: custom ? problemOf(from, to) : null,
    compare: params.get('compare') !== 'off',
    service: params.get('service') ?? '',
    team: params.get('team') ?? '',
  };
}

/** The address's parameters for a length of period; the usual one needs none. Those of others stay. */
export function lengthParams(length: Length, view: View, today: Date): Record<string, string> {
  if (length !== 'custom') return { days: length === usual ? '' : length, from: '', to: '' };
  const days = view.length === 'custom' ? 0 : Number(view.length);
  return {
    days: '',
    from: view.from || dayText(later(today, -days * day)),
    to: view.to || dayText(today),
  };
}

/** What to ask the server for; null while the days make no period. */
export function askedOf(view: View): Asked | null {
  const rest = { compare: view.compare, serviceId: view.service, teamId: view.team };
  if (view.length !== 'custom') return { days: Number(view.length), ...rest };
  const [since, until] = [dayStart(view.from), dayStart(view.to, 1)];
  return view.problem === null && since && until ? { since, until, ...rest } : null;
}

function problemOf(from: string, to: string): string | null {
  const [first, last] = [dayStart(from), dayStart(to, 1)];
  if (!first || !last) return 'Choose the first and the last day.';
  if (last <= first) return 'The last day is before the first.';
  // Half a day for clocks that were changed in between.
  if (last.getTime() - first.getTime() > (longest + 0.5) * day) return `Choose ${longest} days or fewer.`;
  return null;
}
