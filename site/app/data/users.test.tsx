import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import { useRemoveUser, userDuties, userList } from './users';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));
const callPages = vi.hoisted(() => vi.fn());
vi.mock('~/lib/pages', () => ({ callPages }));

it('asks for the people again after a removal, and not for what named who is gone', async () => {
  call.mockResolvedValue({});
  callPages.mockResolvedValue([]);
  const client = createQueryClient();
  const { result } = renderHook(
    () => ({
      people: useQuery(userList),
      duties: useQuery(userDuties('u1')),
      other: useQuery(userDuties('u2')),
      remove: useRemoveUser(),
    }),
    {
      wrapper: ({ children }: { children: ReactNode }) => (
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      ),
    },
  );
  await waitFor(() => expect(result.current.people.isSuccess && result.current.other.isSuccess).toBe(true));
  const asked = (path: string) => call.mock.calls.filter(([request]) => request.path === path).length;
  expect([asked('/v1/users/u1/duties'), asked('/v1/users/u2/duties')]).toEqual([1, 1]);
  await act(() => result.current.remove.mutateAsync({ id: 'u1' }));
  await waitFor(() => expect(asked('/v1/users/u2/duties')).toBe(2));
  expect(callPages).toHaveBeenCalledTimes(2);
  expect(asked('/v1/users/u1/duties')).toBe(1);
});
