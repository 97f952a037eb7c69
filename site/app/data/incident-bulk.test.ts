import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError, networkMessage } from '~/lib/api';
import { startSession } from '~/lib/session-change';
import { acknowledgeAll, changeMany, failureWords } from './incident-bulk';

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
  expect(await changeMany(seen, 'acknowledge')).toEqual({
    done: 2_500,
    failed: [],
    unknown: 0,
    reasons: [],
  });
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

const refused = { code: 'incident_resolved', message: 'It is resolved.', retryable: false };
const lost = new ApiError('Failed to resolve incidents', 0, networkMessage);

it('tells which did not change, why, and of which nothing is known', async () => {
  call
    .mockResolvedValueOnce({
      results: [
        { id: 'i0', error: refused },
        { id: 'i1', error: refused },
        ...many.slice(2, 1000).map((id) => ({ id })),
      ],
    })
    .mockRejectedValueOnce(lost)
    .mockRejectedValueOnce(new ApiError('Failed to resolve incidents', 429, 'Too many at once.'));
  expect(await changeMany(seen, 'resolve')).toEqual({
    done: 998,
    failed: ['i0', 'i1', ...many.slice(1000)],
    unknown: 1000,
    reasons: ['It is resolved.', networkMessage, 'Too many at once.'],
  });
});

it.each([
  ['a proxy had only its own word', 502, 1],
  ['the server broke down in the middle', 500, 1],
  ['the server took none', 503, 0],
  ['somebody may not', 403, 0],
])('knows nothing only when the answer was lost: %s', async (_, status, unknown) => {
  call.mockRejectedValueOnce(new ApiError('Failed to resolve incidents', status, 'Not now.'));
  expect(await changeMany(seen.slice(0, 1), 'resolve')).toMatchObject({ failed: ['i0'], unknown });
});

it.each([
  ['Failed to acknowledge incidents: Bad Gateway', 'Bad Gateway. Whether it changed is not known.'],
  ['Failed to acknowledge incidents', 'Whether it changed is not known.'],
])('says in whole sentences what a proxy said: %s', async (message, words) => {
  call.mockRejectedValueOnce(new ApiError(message, 502));
  expect(failureWords(await changeMany(seen.slice(0, 1), 'acknowledge'), false)).toBe(
    `${words} The list shows it once it is loaded again.`,
  );
});

it.each([
  [
    'one, by a key',
    { done: 0, failed: ['a'], unknown: 0, reasons: ['It is resolved.'] },
    false,
    'It is resolved.',
  ],
  [
    'one, whose answer was lost',
    { done: 0, failed: ['a'], unknown: 1, reasons: ['Network error.'] },
    false,
    'Network error. Whether it changed is not known. The list shows it once it is loaded again.',
  ],
  [
    'some of the selected',
    { done: 3, failed: ['a', 'b'], unknown: 0, reasons: ['It is resolved.'] },
    true,
    '2 of 5 did not change. It is resolved. They are still selected.',
  ],
  [
    'all, whose answers were lost',
    { done: 0, failed: ['a', 'b'], unknown: 2, reasons: ['Network error.'] },
    true,
    'Network error. Whether 2 of 2 changed is not known. The list shows it once it is loaded again. They are still selected.',
  ],
])('says what is so: %s', (_, tally, selected, words) => {
  expect(failureWords(tally, selected)).toBe(words);
});

it('acknowledges all that anybody has seen by one call, however many', async () => {
  call.mockResolvedValueOnce({
    results: [...many.map((id) => ({ id })), { id: 'gone', error: refused }],
  });
  const seen = ['2026-03-25T03:00:00.123456Z', '2026-03-25T02:00:00Z'].map((at, n) => ({
    id: `i${n}`,
    severity: 'low',
    triggeredAt: new Date(at),
  }));
  expect(await acknowledgeAll(seen)).toEqual({
    done: 2_500,
    failed: ['gone'],
    unknown: 0,
    reasons: ['It is resolved.'],
  });
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
