import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { signIn } from '../../testing/render-route';
import { server } from '../../testing/server';
import { currentIdentity } from './identity';
import { currentSession } from './session';
import { startSession } from './session-change';
import { readStream } from './stream';

let abort: AbortController;
const answer = (text: string) => new HttpResponse(text, { headers: { 'Content-Type': 'text/event-stream' } });
const read = (seen: string[], onOpen = () => undefined as unknown, onHeard = () => undefined as unknown) => {
  let after = '';
  return readStream(
    currentIdentity() ?? '',
    {
      after: () => after,
      onOpen,
      onEvent: ({ id }) => {
        seen.push(id);
        after = id || after;
      },
      onHeard,
      onForget: () => {
        after = '';
      },
    },
    abort.signal,
  );
};

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
  await read(seen, back);
  expect(asked).toEqual(['', '42', '42', '43']);
  expect(seen).toEqual(['41', '42', '43']);
  expect(back).toHaveBeenCalledTimes(2);
}, 15_000);

it('begins again from now when the server does not know the last id', async () => {
  const asked = serve(
    () => answer('id: 9000\ndata: {}\n\n'),
    () => new HttpResponse(null, { status: 400 }),
    () => answer(''),
  );
  await read([]);
  expect(asked).toEqual(['', '9000', '']);
}, 15_000);

it('ends a session that cannot be renewed', async () => {
  server.use(
    http.get('*/v1/stream', () => new HttpResponse(null, { status: 401 })),
    http.post('*/v1/auth/refresh', () => HttpResponse.json({ code: 'token_expired' }, { status: 401 })),
  );
  await read([]);
  expect(currentSession()).toBeNull();
});

it('gives no event of the account that another tab signed in to meanwhile', async () => {
  const seen: string[] = [];
  const asked = serve(
    () => {
      startSession({ user: { id: 'u2', name: 'Jonas' }, accessToken: 'b', refreshToken: 'r' });
      return answer('id: 7\ndata: {}\n\n');
    },
    () => answer(''),
  );
  const reading = read(seen);
  await vi.waitFor(() => expect(currentSession()?.user.id).toBe('u2'));
  await new Promise((resolve) => setTimeout(resolve, 600));
  abort.abort();
  await reading;
  expect(seen).toEqual([]);
  expect(asked).toEqual(['']);
});

it.each([
  ['a page of a proxy', () => HttpResponse.html('<h1>Guest network</h1>'), 0],
  ['what is called a stream and is none', () => answer('{}'), 0],
  ['a stream that ends at once', () => answer('id: 1\nevent: hello\ndata: {}\n\n'), 1],
])(
  'asks ever more seldom for %s, and takes it for heard only if it said something',
  async (_, give, each) => {
    const [opened, heard] = [vi.fn(), vi.fn()];
    let asked = 0;
    server.use(
      http.get('*/v1/stream', () => {
        asked += 1;
        return give();
      }),
    );
    const reading = read([], opened, heard);
    await new Promise((resolve) => setTimeout(resolve, 4000));
    abort.abort();
    await reading;
    expect(asked).toBeGreaterThan(2);
    expect(asked).toBeLessThan(6);
    expect(opened).toHaveBeenCalledTimes(each * asked);
    expect(heard).toHaveBeenCalledTimes(each * asked);
  },
);
