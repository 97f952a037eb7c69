import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import { organization, useRenameOrganization } from './organization';
import { profile, useUpdateUser } from './users';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

const client = createQueryClient();
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
);

const useOrganization = () => ({
  shown: useQuery(organization('x1')).data,
  save: useRenameOrganization().mutate as (change: typeof before) => void,
});
const useProfile = () => ({
  shown: useQuery(profile('x1')).data,
  save: useUpdateUser().mutate as (change: typeof before) => void,
});
const before = { id: 'x1', etag: '1', name: 'Acme' };
const after = { ...before, etag: '2', name: 'Acme Ltd' };

it.each([
  ['an organization', 'organization', useOrganization],
  ['a profile', 'user', useProfile],
])('shows %s as it was saved, also while it cannot be asked for again', async (_, field, use) => {
  let asked = 0;
  call.mockImplementation(({ method }) => {
    if (method === 'PATCH') return Promise.resolve({ [field]: after });
    asked += 1;
    return asked === 1 ? Promise.resolve({ [field]: before }) : new Promise(() => undefined);
  });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { result } = renderHook(use, { wrapper });
  await waitFor(() => expect(result.current.shown).toEqual(before));
  await act(async () => {
    result.current.save({ ...before, name: 'Acme Ltd' });
    await vi.advanceTimersByTimeAsync(4000);
  });
  vi.useRealTimers();
  expect(asked).toBe(2);
  expect(result.current.shown).toEqual(after);
});
