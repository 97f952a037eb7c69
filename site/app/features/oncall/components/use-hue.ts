import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { memberList } from '~/lib/members';

/** The colour of a person, 1 and up in order of joining, always the same for the same person. */
export function useHue(): (personId: string) => number | undefined {
  const { data } = useQuery(memberList);
  return useCallback((personId) => data?.find((member) => member.id === personId)?.hue, [data]);
}
