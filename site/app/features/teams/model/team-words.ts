import type { FieldWords } from '~/lib/edits';
import type { Team } from './team';

/** The fields of a team as people read them, its members by their names. */
export function teamWords(people: readonly { id: string; word: string }[]): FieldWords<Team>[] {
  const nameOf = (id: string) => people.find((one) => one.id === id)?.word ?? 'somebody';
  return [
    { label: 'Name', stored: ({ name }) => name, words: ({ name }) => name },
    {
      label: 'Description',
      stored: ({ description }) => description,
      words: ({ description }) => description,
    },
    {
      label: 'Members',
      stored: ({ memberIds }) => memberIds.toSorted(),
      words: ({ memberIds }) => memberIds.map(nameOf).join(', '),
    },
  ];
}
