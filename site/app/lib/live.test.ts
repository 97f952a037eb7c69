import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { signIn } from '../../testing/render-route';
import { server } from '../../testing/server';
import { follow, liveStatus } from './live';
import { currentSession } from './session';

let abort: AbortController;
const answer = (text: string) => new HttpResponse(text, { headers: { 'Content-Type': 'text/event-stream' } });

beforeEach(() => {
  signIn();
  abort = new AbortController();
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => abort.abort());

/** Answers each connection in turn and notes with which id it asked to continue. The last answer ends the test's feed. */
function serve(...answers: (() => Response)[]): string[] {
  const asked: string[] = [];
  server.use(
    http.get('*/v1/stream', ({ request }) => {
      asked.push(request.headers.get('Last-Event-ID') ?? '');
      const next = answers[asked.length - 1];
      if (asked.length >= answers.length) abort.abort();
      return next?.() ?? answer('');
    }),
  );
  return asked;
}

it('continues after the last event it saw, and says when it is back', async () => {
  const seen: string[] = [];
  const back = vi.fn();
  const asked = serve(
    () => answer('id: 41\nevent: hello\ndata: {}\n\nid: 42\ndata: {"incident_id":"i1"}\n\n'),
    () => new HttpResponse(null, { status: 503 }),
    () => answer('id: 43\ndata: {"incident_id":"i2"}\n\n'),
    () => answer(''),
  );
  await follow((event) => seen.push(event.id), back, abort.signal);
  expect(asked).toEqual(['', '42', '42', '43']);
  expect(seen).toEqual(['41', '42', '43']);
  expect(back).toHaveBeenCalled();
  expect(liveStatus().live).toBe(false);
  expect(liveStatus().lastHeard).toBeGreaterThan(0);
}, 15_000);

it('begins anew when the server does not know the last id', async () => {
  const asked = serve(
    () => answer('id: 9000\ndata: {}\n\n'),
    () => new HttpResponse(null, { status: 400 }),
    () => answer(''),
  );
  await follow(
    () => undefined,
    () => undefined,
    abort.signal,
  );
  expect(asked).toEqual(['', '9000', '']);
}, 15_000);

it('ends a session that cannot be renewed', async () => {
  server.use(
    http.get('*/v1/stream', () => new HttpResponse(null, { status: 401 })),
    http.post('*/v1/auth/refresh', () => new HttpResponse(null, { status: 401 })),
  );
  await follow(
    () => undefined,
    () => undefined,
    abort.signal,
  );
  expect(currentSession()).toBeNull();
});
