import type { ServiceJson } from '@nightbell/proto';
import type { ServiceFields } from '~/data/service-changes';
import type { FieldWords } from '~/lib/edits';

/** A service as its form holds it: every field is there, empty for none. */
export type EditedService = ServiceFields & { id: string; etag: string };

/** A service as it is stored, for its form. */
export function toEdited(service: ServiceJson): EditedService {
  return {
    id: service.id ?? '',
    etag: service.etag ?? '',
    name: service.name ?? '',
    description: service.description ?? '',
    team_id: service.team_id ?? '',
    owner_id: service.owner_id ?? '',
    escalation_policy_id: service.escalation_policy_id ?? '',
    repo_url: service.repo_url ?? '',
    runbook_url: service.runbook_url ?? '',
    depends_on_ids: service.depends_on_ids ?? [],
    tier: service.tier ?? 3,
    grouping: service.grouping ?? 'group',
  };
}

/** A service as it is sent: without what was typed around its texts. */
export function trimmed(service: EditedService): EditedService {
  const { name, description, repo_url, runbook_url } = service;
  return {
    ...service,
    name: name.trim(),
    description: description.trim(),
    repo_url: repo_url.trim(),
    runbook_url: runbook_url.trim(),
  };
}

/** How grouping is said. */
export const groupings = [
  { value: 'group', word: 'One incident per group' },
  { value: 'alert', word: 'One incident per alert' },
] as const;

/** How important a service is. */
export const tiers = [
  { value: '1', word: '1, the most important' },
  { value: '2', word: '2' },
  { value: '3', word: '3' },
  { value: '4', word: '4, the least' },
] as const;

/** The fields of a service as people read them, teams and people by their names. */
export function serviceWords(nameOf: (id: string) => string): FieldWords<EditedService>[] {
  const named = (field: 'team_id' | 'owner_id' | 'escalation_policy_id') => (of: EditedService) =>
    of[field] && nameOf(of[field]);
  const plain = (label: string, field: keyof ServiceFields): FieldWords<EditedService> => ({
    label,
    stored: (of) => of[field],
    words: (of) => String(of[field]),
  });
  return [
    plain('Name', 'name'),
    plain('Description', 'description'),
    { label: 'Team', stored: (of) => of.team_id, words: named('team_id') },
    { label: 'Owner', stored: (of) => of.owner_id, words: named('owner_id') },
    {
      label: 'Escalation policy',
      stored: (of) => of.escalation_policy_id,
      words: named('escalation_policy_id'),
    },
    plain('Repo', 'repo_url'),
    plain('Runbook', 'runbook_url'),
    {
      label: 'Dependencies',
      stored: (of) => of.depends_on_ids,
      words: (of) => of.depends_on_ids.map(nameOf).join(', '),
    },
    plain('Tier', 'tier'),
    {
      label: 'Grouping',
      stored: (of) => of.grouping,
      words: (of) => groupings.find(({ value }) => value === of.grouping)?.word ?? of.grouping,
    },
  ];
}
