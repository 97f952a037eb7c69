import type { ReachJson, UserJson } from '@nightbell/proto';
import { channelOf } from '~/components/channel';
import type { IconName } from '~/components/ui/icon';
import { dateOf } from '~/lib/time/instant';

/** The roles, from most to least, with what each may do. */
export const roles = [
  { value: 'owner', word: 'Owner', may: 'Everything, and is paged when nobody else answers.' },
  { value: 'admin', word: 'Admin', may: 'Everything but what concerns owners.' },
  {
    value: 'responder',
    word: 'Responder',
    may: 'On call, acknowledges and resolves, edits services and overrides.',
  },
  { value: 'viewer', word: 'Viewer', may: 'Reads everything and changes nothing.' },
] as const;

const rank = (role: string | undefined) => roles.findIndex(({ value }) => value === role);

/** The roles that somebody of a role may give: none above their own. */
export function givenBy(role: string | undefined): (typeof roles)[number][] {
  return roles.filter(({ value }) => role === undefined || rank(value) >= rank(role));
}

/** Whether somebody of a role may change or remove another: admins anybody but owners, owners everybody. */
export function mayManage(role: string | undefined, other: string | undefined): boolean {
  return role === undefined || role === 'owner' || (role === 'admin' && other !== 'owner');
}

/** What somebody is found by: name, address, role and teams. */
export function wordsOf({ name, email, role, teams = [] }: UserJson): (string | undefined)[] {
  return [name, email, role, ...teams.map((team) => team.name)];
}

/** One kind of way by which somebody is reached, as a list shows it. */
export interface Way {
  kind: string;
  word: string;
  icon: IconName;
  state: 'works' | 'unverified' | 'failing';
}

/** How somebody is reached, a kind once: the best of its addresses counts. */
export function waysOf(reached: readonly ReachJson[]): readonly Way[] {
  const ways = new Map<string, Way>();
  for (const reach of reached) {
    const kind = reach.kind ?? '';
    const state = stateOf(reach);
    const known = ways.get(kind);
    if (!known || order[state] < order[known.state]) ways.set(kind, { kind, ...channelOf(kind), state });
  }
  return [...ways.values()];
}

const order = { works: 0, failing: 1, unverified: 2 } as const;

function stateOf({ verified, failing_since_at }: ReachJson): Way['state'] {
  if (!verified) return 'unverified';
  return failing_since_at ? 'failing' : 'works';
}

/** Whether a page gets through to somebody by any way, as far as is known. */
export function isReachable(reached: readonly ReachJson[]): boolean {
  return reached.some((reach) => stateOf(reach) === 'works');
}

/** The last test page that came to its end: when, and whether it was sent. Undefined when there was none. */
export function lastTest(reached: readonly ReachJson[]): { at: Date; sent: boolean } | undefined {
  const tested = reached
    .filter((reach) => reach.tested_at)
    .toSorted((a, b) => text(b).localeCompare(text(a)));
  const [last] = tested;
  return last?.tested_at ? { at: dateOf(last.tested_at), sent: last.test_status === 'sent' } : undefined;
}

function text({ tested_at }: ReachJson): string {
  return String(tested_at ?? '');
}
