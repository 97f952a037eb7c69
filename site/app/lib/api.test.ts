import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { signIn } from '../../testing/render-route';
import { server } from '../../testing/server';
import { type ApiError, call, fieldReason } from './api';
import { currentSession, lastSessionEnd } from './session';
import { showAs, startSession } from './session-change';

const list = { method: 'GET', path: '/v1/incidents', action: 'fetch incidents' } as const;
const failureOf = (request: Parameters<typeof call>[0]) =>
  call(request).then(
    () => null,
    (cause: ApiError) => cause,
  );

beforeEach(signIn);

it('sends the bearer token and returns the JSON', async () => {
  server.use(
    http.get('*/v1/incidents', ({ request }) =>
      HttpResponse.json({ token: request.headers.get('Authorization') }),
    ),
  );
  expect(await call(list)).toEqual({ token: 'Bearer access-1' });
});

describe('failures read as the product says', () => {
  it('for a status', async () => {
    server.use(
      http.get('*/v1/incidents', () =>
        HttpResponse.json(
          { code: 'unavailable', message: 'Try again.' },
          { status: 503, statusText: 'Service Unavailable' },
        ),
      ),
    );
    const failure = await failureOf(list);
    expect(failure).toMatchObject({
      message: 'Failed to fetch incidents: Service Unavailable',
      status: 503,
      detail: 'Try again.',
    });
  });
  it('for single fields, beside the sentence', async () => {
    const details = [{ field: 'name', code: 'required', message: 'is required' }];
    server.use(
      http.get('*/v1/incidents', () =>
        HttpResponse.json({ code: 'invalid_fields', message: 'name is required.', details }, { status: 422 }),
      ),
    );
    const failure = await failureOf(list);
    expect(failure?.fields).toEqual({ name: 'is required' });
    expect(fieldReason(failure, 'name')).toBe('Is required.');
    expect(fieldReason(failure, 'title')).toBeUndefined();
    expect(fieldReason(new Error('x'), 'name')).toBeUndefined();
  });
  it('for an exact message', async () => {
    server.use(http.get('*/v1/incidents', () => new HttpResponse(null, { status: 404 })));
    expect((await failureOf({ ...list, messages: { 404: 'Incident not found' } }))?.message).toBe(
      'Incident not found',
    );
  });
  it('for a dead network', async () => {
    server.use(http.get('*/v1/incidents', () => HttpResponse.error()));
    expect(await failureOf(list)).toMatchObject({
      message: 'Failed to fetch incidents',
      detail: 'Network error. Please check your connection and try again.',
    });
  });
  it('without a token', async () => {
    localStorage.clear();
    expect((await failureOf(list))?.message).toBe('No authentication token found. Please log in again.');
  });
});

describe('an access token that ran out', () => {
  const onlyWith = (token: string) =>
    http.get('*/v1/incidents', ({ request }) =>
      request.headers.get('Authorization') === `Bearer ${token}`
        ? HttpResponse.json({ ok: true })
        : new HttpResponse(null, { status: 401 }),
    );
  const refresh = (answer: () => Response) => http.post('*/v1/auth/refresh', answer);

  it('is renewed once for all calls that meet it', async () => {
    let refreshes = 0;
    server.use(
      onlyWith('access-2'),
      refresh(() => {
        refreshes += 1;
        return HttpResponse.json({ tokens: { access_token: 'access-2', refresh_token: 'refresh-2' } });
      }),
    );
    await Promise.all([call(list), call(list), call(list)]);
    expect(refreshes).toBe(1);
    expect(currentSession()).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2' });
  });

  it('ends the session when the refresh is refused', async () => {
    server.use(
      onlyWith('never'),
      refresh(() => HttpResponse.json({ code: 'token_expired', message: 'no' }, { status: 401 })),
    );
    expect((await failureOf(list))?.message).toBe('Authentication expired. Please log in again.');
    expect(currentSession()).toBeNull();
    expect(lastSessionEnd()).toBe('expired');
  });

  it('leaves the session alone while the server is away', async () => {
    server.use(
      onlyWith('never'),
      refresh(() => new HttpResponse(null, { status: 503 })),
    );
    expect(await failureOf(list)).toMatchObject({ status: 0, message: 'Failed to fetch incidents' });
    expect(currentSession()).not.toBeNull();
  });

  it('leaves it alone for calls that handle the refusal themselves', async () => {
    server.use(
      onlyWith('never'),
      refresh(() => HttpResponse.json({ code: 'token_expired' }, { status: 401 })),
    );
    const failure = await failureOf({ ...list, action: 'acknowledge incident', keepSession: true });
    expect(failure?.message).toMatch(/^Failed to acknowledge incident/);
    expect(currentSession()).not.toBeNull();
  });

  it('ends no session that began during the refresh', async () => {
    server.use(
      onlyWith('never'),
      refresh(() => {
        startSession({ user: { id: 'u2', name: 'Jonas' }, accessToken: 'b', refreshToken: 'b-refresh' });
        return HttpResponse.json({ code: 'token_expired' }, { status: 401 });
      }),
    );
    expect((await failureOf(list))?.message).toBe('Somebody else is signed in now. Nothing was sent.');
    expect(currentSession()).toMatchObject({ accessToken: 'b' });
  });
});

it('takes no page of a proxy for an answer', async () => {
  server.use(http.get('*/v1/incidents', () => HttpResponse.html('<h1>Guest network</h1>')));
  expect(await failureOf(list)).toMatchObject({ status: 0, message: 'Failed to fetch incidents' });
});

it('sends nothing as somebody else than whose data is on screen', async () => {
  showAs('/u2');
  expect((await failureOf(list))?.message).toBe('Somebody else is signed in now. Nothing was sent.');
  showAs(null);
});

it('sends an act while reads hang, which are answered all the same', async () => {
  let asked = 0;
  server.use(
    http.get('*/v1/incidents', () => {
      asked += 1;
      return asked > 1 ? HttpResponse.json({ asked }) : new Promise(() => undefined);
    }),
    http.post('*/v1/incidents', () => HttpResponse.json({ done: true })),
  );
  const reading = call(list);
  await vi.waitFor(() => expect(asked).toBe(1));
  expect(await call({ method: 'POST', path: '/v1/incidents', action: 'create incident' })).toEqual({
    done: true,
  });
  expect(await reading).toEqual({ asked: 2 });
});
