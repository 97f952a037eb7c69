import type { IconName } from '~/components/ui/icon';
import type { Choice } from '~/components/ui/search-select';
import type { Target, TargetKind } from './policy';

const looks: Record<TargetKind, { group: string; icon?: IconName }> = {
  schedule: { group: 'Schedules', icon: 'oncall' },
  team: { group: 'Teams', icon: 'users' },
  channel: { group: 'Channels', icon: 'chat' },
  user: { group: 'People' },
};

/** How a target looks in the search. Ids of different kinds cannot meet. */
export function choiceOf({ kind, id, name }: Target): Choice {
  return { id: `${kind}:${id}`, word: name, ...looks[kind] };
}

/** The target of a choice. */
export function targetOf({ id, word }: Choice): Target {
  const [kind, ...rest] = id.split(':');
  const known = Object.keys(looks).find((name): name is TargetKind => name === kind);
  return { kind: known ?? 'user', id: rest.join(':'), name: word };
}

/** The icon of a kind; people have none, because they show their initials. */
export function iconOf(kind: TargetKind): IconName | undefined {
  return looks[kind].icon;
}
