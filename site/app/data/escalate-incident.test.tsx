import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import { useEscalateIncident } from './incident-changes';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

const at = (step: number) => ({
  id: 'i',
  status: 'triggered',
  acknowledgedAt: null,
  escalation: { status: 'active', step },
});

/** A dialog: it is gone after each press. */
async function press(step: number) {
  const client = createQueryClient();
  const { result, unmount } = renderHook(useEscalateIncident, {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
  await act(() => new Promise<void>((done) => result.current.escalate(at(step), { onSettled: done })));
  unmount();
}

it('wakes nobody further when the same is pressed after a lost answer', async () => {
  call.mockRejectedValueOnce(new Error('lost')).mockRejectedValueOnce(new Error('lost'));
  call.mockResolvedValue({ incident: { id: 'i' } });
  for (const step of [1, 1, 1, 1, 2]) await press(step);
  const keys = call.mock.calls.map(([request]) => request.headers['Idempotency-Key']);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).toBe(keys[0]);
  // It was answered: the next press means the next step.
  expect(new Set(keys.slice(2)).size).toBe(3);
});
