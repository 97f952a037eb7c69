import type { ContactMethodJson, ListOnCallResponseJson } from '@nightbell/proto';
import type { Target } from './policy';

/** What a policy can page of one kind, from the list of all. */
export function targetsOf(kind: Target['kind']) {
  return (list: readonly { id?: string; name?: string }[]): Target[] =>
    list.map(({ id = '', name = '' }) => ({ kind, id, name }));
}

const toTargets = targetsOf('channel');

/** The channels that everybody shares; what is somebody's own is paged with the person. */
export function toChannels(contacts: readonly ContactMethodJson[]): Target[] {
  return toTargets(contacts.filter((contact) => contact.shared));
}

/** Names by schedule id. Nobody is an empty list. */
export function toNames(
  onCall: NonNullable<ListOnCallResponseJson['on_call']>,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    onCall.map(({ schedule, current }) => [
      schedule?.id ?? '',
      (current?.users ?? []).map((user) => user.name ?? ''),
    ]),
  );
}
