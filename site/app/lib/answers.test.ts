import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { signIn } from '../../testing/render-route';
import { server } from '../../testing/server';
import { call, timeoutMessage } from './api';

const list = { method: 'GET', path: '/v1/incidents', action: 'fetch incidents' } as const;

beforeEach(signIn);

it.each([
  ['a page of a proxy', '<!doctype html><title>Sign in to the hotel</title>'],
  ['JSON that breaks off', '{"incidents":[{"id":"i1"'],
])('%s is a failure, not an empty list', async (_, body) => {
  server.use(http.get('*/v1/incidents', () => new HttpResponse(body)));
  await expect(call(list)).rejects.toMatchObject({ message: 'Failed to fetch incidents', status: 0 });
});

it('an answer that does not come in time is a failure', async () => {
  server.use(http.get('*/v1/incidents', () => new Promise<Response>(() => undefined)));
  await expect(call({ ...list, timeout: 50 })).rejects.toMatchObject({
    message: 'Failed to fetch incidents',
    status: 0,
    detail: timeoutMessage,
  });
});
