import { beforeEach, expect, it, vi } from 'vitest';
import { startSession } from '~/lib/session-change';
import { acknowledgeAll, changeMany } from './incident-bulk';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

const session = { user: { id: 'u1', org_id: 'o1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };

beforeEach(() => {
  startSession(session);
  call.mockReset();
});

const many = Array.from({ length: 2_500 }, (_, n) => `i${n}`);
const seen = many.map((id) => ({ id, severity: 'low' }));

it('changes many incidents by one call for each thousand', async () => {
  call.mockImplementation(async ({ body }) => ({
    results: body.ids.map((id: string) => ({ id, status: 'acknowledged' })),
  }));
  expect(await changeMany(seen, 'acknowledge')).toEqual({ done: 2_500, failed: [] });
  expect(call.mock.calls[0]?.[0].body.seen).toEqual(seen.slice(0, 1000));
  expect(call.mock.calls.map(([request]) => [request.path, request.body.ids.length])).toEqual([
    ['/v1/incidents/bulk', 1000],
    ['/v1/incidents/bulk', 1000],
    ['/v1/incidents/bulk', 500],
  ]);
});

it('sends no second thousand as somebody else', async () => {
  call.mockImplementation(async () => {
    startSession({ ...session, user: { id: 'u2', org_id: 'o2', name: 'Jonas' } });
    return { results: [] };
  });
  await expect(changeMany(seen, 'acknowledge')).rejects.toThrow('Somebody else is signed in now.');
  expect(call).toHaveBeenCalledTimes(1);
});

it('tells which did not change', async () => {
  call
    .mockResolvedValueOnce({
      results: [{ id: 'i0', error: 'It is resolved.' }, ...many.slice(1, 999).map((id) => ({ id }))],
    })
    .mockRejectedValueOnce(new Error('Network error.'))
    .mockResolvedValueOnce({ results: many.slice(2_000).map((id) => ({ id })) });
  expect((await changeMany(seen, 'resolve')).failed).toEqual(['i0', 'i999', ...many.slice(1000, 2000)]);
});

it('acknowledges all that anybody has seen by one call, however many', async () => {
  call.mockResolvedValueOnce({
    results: [...many.map((id) => ({ id })), { id: 'gone', error: 'It is resolved.' }],
  });
  const seen = ['2026-03-25T03:00:00.123456Z', '2026-03-25T02:00:00Z'].map((at, n) => ({
    id: `i${n}`,
    severity: 'low',
    triggeredAt: new Date(at),
  }));
  expect(await acknowledgeAll(seen)).toEqual({ done: 2_500, failed: ['gone'] });
  expect(call.mock.calls[0]?.[0].body).toEqual({
    action: 'acknowledge',
    filter: { triggered_before: '2026-03-25T03:00:00.124Z' },
    message: 'Incident acknowledged',
    seen: [
      { id: 'i0', severity: 'low' },
      { id: 'i1', severity: 'low' },
    ],
  });
});
