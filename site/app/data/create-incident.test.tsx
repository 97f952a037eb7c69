import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import { useCreateIncident } from './incident-changes';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

it('creates one incident however often the same is pressed after a lost answer', async () => {
  const client = createQueryClient();
  const { result } = renderHook(useCreateIncident, {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
  const create = (title: string) => result.current.mutateAsync({ title, severity: 'high' }).catch(() => null);
  call.mockRejectedValueOnce(new Error('The answer was lost.')).mockResolvedValue({ incident: {} });
  for (const title of ['Disk full', 'Disk full', 'Another']) await create(title);
  const keys = call.mock.calls.map(([request]) => request.headers['Idempotency-Key']);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});
