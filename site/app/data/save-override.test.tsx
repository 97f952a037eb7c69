import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import { useDeleteOverride, useSaveOverride } from './overrides';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));
beforeEach(() => call.mockReset());

/** A popover or a dialog: it is gone after each press. */
async function press<V>(useChange: () => { mutateAsync: (asked: V) => Promise<unknown> }, asked: V) {
  const client = createQueryClient();
  const { result, unmount } = renderHook(useChange, {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
  await act(() => result.current.mutateAsync(asked).catch(() => undefined));
  unmount();
}

const create = (userId: string, scheduleId = 's1') =>
  press(useSaveOverride, { scheduleId, body: { user_id: userId } });
const keys = () => call.mock.calls.map(([request]) => request.headers?.['Idempotency-Key']);

it('covers a shift once when the same is pressed after a lost answer', async () => {
  call.mockRejectedValueOnce(new Error('lost')).mockRejectedValueOnce(new Error('lost'));
  call.mockResolvedValue({ override: { id: 'v1' } });
  for (const user of ['u1', 'u1', 'u1', 'u1']) await create(user);
  await create('u2');
  await create('u2', 's2');
  expect(keys()[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys().slice(1, 3)).toEqual([keys()[0], keys()[0]]);
  // It was answered: the next press means another override.
  expect(new Set(keys().slice(2)).size).toBe(4);
});

it('makes another one after the one whose answer was lost was taken back', async () => {
  call.mockRejectedValueOnce(new Error('lost'));
  call.mockResolvedValue({});
  await create('u1');
  await press(useDeleteOverride, { id: 'v1', etag: 'e' });
  await create('u1');
  expect(keys()[2]).not.toBe(keys()[0]);
});

it('sends the version, and no key, with a change', async () => {
  call.mockResolvedValue({});
  await press(useSaveOverride, { id: 'v1', etag: 'e', scheduleId: 's1', body: {} });
  expect(call.mock.calls[0]?.[0]).toMatchObject({ method: 'PATCH', headers: { 'If-Match': '"e"' } });
  expect(keys()).toEqual([undefined]);
});

it.each([
  ['two minutes went by', async () => void vi.setSystemTime(Date.now() + 121_000)],
  ['it was changed', () => press(useSaveOverride, { id: 'v1', etag: 'e', scheduleId: 's1', body: {} })],
])('makes another one after the one whose answer was lost, once %s', async (_, meanwhile) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  call.mockRejectedValueOnce(new Error('lost'));
  call.mockResolvedValue({});
  await create('u1');
  await meanwhile();
  await create('u1');
  vi.useRealTimers();
  expect(keys().at(-1)).not.toBe(keys()[0]);
});
