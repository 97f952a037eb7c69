import type { TeamJson } from '@nightbell/proto';

/** A group of people that a policy can page and a schedule can belong to. */
export interface Team {
  /** Empty for a new one. */
  id: string;
  name: string;
  description: string;
  memberIds: readonly string[];
  /** The version that it was read in. */
  etag?: string;
}

/** Teams by name. */
export function toTeams(teams: readonly TeamJson[]): Team[] {
  return teams.map(toTeam).toSorted((a, b) => a.name.localeCompare(b.name));
}

function toTeam({ id = '', name = '', description = '', user_ids = [], etag }: TeamJson): Team {
  return { id, name, description, memberIds: user_ids, etag };
}

/** What the server is sent for a team. */
export function toTeamRequest({ memberIds, name, description, ...version }: Team) {
  return { ...version, name: name.trim(), description: description.trim(), user_ids: [...memberIds] };
}
