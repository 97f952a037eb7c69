import type { FieldWords } from '~/lib/edits';
import { spanWords } from '~/lib/time/zone-words';
import type { Override } from './schedule';

type Told = Pick<Override, 'kind' | 'person' | 'replaces' | 'from' | 'to' | 'reason'>;

/** The fields of an override as people read them, on the wall clock of its schedule. */
export function overrideWords(zone: string): FieldWords<Told>[] {
  return [
    {
      label: 'Who',
      stored: ({ kind, person, replaces }) => [kind, person?.id, replaces?.id],
      words: whoOf,
    },
    {
      label: 'When',
      stored: ({ from, to }) => [from, to],
      words: ({ from, to }) => spanWords(from, to, zone),
    },
    { label: 'Reason', stored: ({ reason }) => reason.trim(), words: ({ reason }) => reason },
  ];
}

function whoOf({ kind, person, replaces }: Told): string {
  const name = person?.name ?? 'somebody';
  if (kind === 'vacant') return 'nobody';
  return kind === 'cover'
    ? `${name} instead of ${replaces?.name ?? 'somebody'}`
    : `${name} instead of everybody`;
}
