import type { IconName } from '~/components/ui/icon';

/** One thing the palette finds. */
export interface Entry {
  id: string;
  group: 'Incidents' | 'Services' | 'Schedules' | 'People' | 'Pages' | 'Actions' | 'Older incidents';
  word: string;
  icon: IconName;
  /** A status or health, which gives the icon its colour. */
  state?: string;
  /** What else is known of it, in grey. */
  note?: string;
  /** The key that does the same. */
  keys?: string;
  /** Other words it is found by. */
  also?: string;
  /** Where it leads. */
  to?: string;
  run?: () => void;
  /** What Ctrl+Enter does with it. */
  acknowledge?: () => void;
}

// More of one kind would push the next kind off the screen.
const mostOfGroup = 6;

/**
 * The entries that contain every word of the text: in each group those whose name begins with it first,
 * and the group that fits best first. Without a text those that need a person, the pages and the actions.
 */
export function found(entries: readonly Entry[], text: string): Entry[] {
  const words = plain(text).split(' ').filter(Boolean);
  const groups = new Map<string, { entry: Entry; rank: number }[]>();
  for (const entry of entries) {
    const rank = words.length > 0 ? rankOf(entry, words) : Number(atHome(entry));
    if (rank > 0) groups.set(entry.group, [...(groups.get(entry.group) ?? []), { entry, rank }]);
  }
  return [...groups.values()]
    .map((group) => group.toSorted((a, b) => b.rank - a.rank).slice(0, mostOfGroup))
    .toSorted(([a], [b]) => (b?.rank ?? 0) - (a?.rank ?? 0))
    .flatMap((group) => group.map(({ entry }) => entry));
}

// Three where the name begins with the text, two where it has every word, one where something else of it has.
function rankOf({ word, note = '', also = '' }: Entry, words: readonly string[]): number {
  const name = plain(word);
  if (name.startsWith(words.join(' '))) return 3;
  if (words.every((one) => name.includes(one))) return 2;
  const all = `${name} ${plain(note)} ${plain(also)}`;
  return words.every((one) => all.includes(one)) ? 1 : 0;
}

function atHome({ group, state }: Entry): boolean {
  return group === 'Incidents' ? state === 'triggered' : group === 'Pages' || group === 'Actions';
}

// Somebody who types "herrera tomas" means Tomás Herrera.
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
