import type { FieldWords } from '~/lib/edits';
import { type Draft, type LayerDraft, rotationsOf } from './draft';
import { cadenceWords, windowWords } from './words';

type Named = readonly { id?: string; name?: string }[];

/** The fields of a schedule as people read them; teams and policies by their names. */
export function draftWords(teams: Named = [], policies: Named = []): FieldWords<Draft>[] {
  const nameIn = (list: Named, id: string) =>
    id === '' ? '' : (list.find((one) => one.id === id)?.name ?? 'another one');
  const plain = (label: string, field: (of: Draft) => string): FieldWords<Draft> => ({
    label,
    stored: field,
    words: field,
  });
  return [
    plain('Name', ({ name }) => name.trim()),
    plain('Description', ({ description }) => description.trim()),
    { label: 'Team', stored: ({ teamId }) => teamId, words: ({ teamId }) => nameIn(teams, teamId) },
    plain('Time zone', ({ zone }) => zone),
    {
      label: 'Escalation policy',
      stored: ({ policyId }) => policyId,
      words: ({ policyId }) => nameIn(policies, policyId),
    },
    plain('Status', ({ active }) => (active ? 'active' : 'inactive')),
    {
      label: 'Rotations',
      stored: rotationsOf,
      words: ({ layers }) => layers.map(layerWords).join('\n'),
    },
  ];
}

function layerWords(layer: LayerDraft): string {
  const seats = layer.seats.map(({ people }) => people.map(({ name }) => name).join(' and ') || 'nobody');
  const times = [
    cadenceWords(layer),
    windowWords(layer.windows),
    `from ${layer.startsAt.replace('T', ' ')}`,
    layer.endsAt && `until ${layer.endsAt.replace('T', ' ')}`,
  ];
  return `${layer.name}: ${seats.join(', ')}. ${times.filter(Boolean).join(', ')}.`;
}
