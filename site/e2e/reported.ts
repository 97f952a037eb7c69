import type { Caller } from './caller';
import { send } from './caller';
import { addService, tell } from './made';

const minute = 60_000;
const frame = (function_: string, file: string, line: number, in_app: boolean, source: object = {}) => ({
  function: function_,
  file,
  line,
  in_app,
  ...source,
});
const libraries = '/usr/lib/python3.12/site-packages';

// An error with its causes, as the SDK for Python sends it.
const refreshFailed = {
  title: 'TokenRefreshFailed: no key for kid 2026-03',
  severity: 'high',
  source: 'auth-7c9f',
  operation: 'POST /session/refresh',
  environment: 'production',
  release: '2026.3.23',
  user: { id: 'u-4417' },
  trace: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' },
  metadata: { kid: '2026-03', attempts: 3 },
  links: [{ href: 'https://logs.example.com/auth', text: 'Logs' }],
  error: {
    fingerprint: 'd7b975473f710babdaac1a221b491c6c',
    exceptions: [
      {
        type: 'TokenRefreshFailed',
        message: 'no key for kid 2026-03\nThe session of the user stays as it was until it expires.',
        frames: [
          frame('refresh', '/srv/auth/sessions/refresh.py', 88, true, {
            module: 'auth.sessions.refresh',
            column: 13,
            pre: [
              '    claims = unverified(token)',
              '    try:',
              '        key = await keys.get(claims.kid)',
              '    except KeyMissing as missing:',
            ],
            code: '        raise TokenRefreshFailed(f"no key for kid {claims.kid}") from missing',
            post: ['    return sign(claims, key)', '', ''],
          }),
          frame('handle', '/srv/auth/http/routes.py', 41, true, { module: 'auth.http.routes' }),
          frame('run_endpoint_function', `${libraries}/fastapi/routing.py`, 212, false),
          frame('app', `${libraries}/starlette/routing.py`, 76, false),
          frame('__call__', `${libraries}/starlette/middleware/errors.py`, 165, false),
        ],
      },
      {
        type: 'KeyMissing',
        message: '2026-03',
        frames: [
          frame('get', '/srv/auth/keys.py', 30, true, { module: 'auth.keys' }),
          frame('fetch', `${libraries}/vault/client.py`, 120, false),
        ],
      },
      { type: 'TimeoutError', message: 'vault did not answer within 2 s' },
    ],
    breadcrumbs: [
      { category: 'http', message: 'POST /session/refresh' },
      { category: 'cache', message: 'miss', key: 'kid:2026-03' },
    ],
  },
};

/** The address of an incident that a program opened with an error, 128 times, and resolved. */
export async function report(caller: Caller): Promise<string> {
  const { key } = await addService(caller);
  const { id } = await tell(caller, key, { ...refreshFailed, count: 128 });
  await caller.post(`/v1/incidents/${id}/resolve`);
  return `/incidents/${id}`;
}

/** The address of a service whose programs measured it for the last hours, and then failed. */
export async function measure(caller: Caller): Promise<string> {
  const { id, key } = await addService(caller);
  const keep = (samples: object) => send(`${caller.url}/v1/samples`, 'POST', samples, key);
  const points = (value: (place: number) => number) =>
    Array.from({ length: 48 }, (_, place) => ({
      at: new Date(Date.now() - (48 - place) * 5 * minute).toISOString(),
      value: value(place),
    }));
  await keep({
    name: 'latency',
    unit: 'ms',
    points: points((place) => (place < 40 ? 180 : 180 + 170 * (place - 39))),
  });
  await keep({ name: 'error_rate', unit: '1', points: points((place) => (place < 40 ? 0.001 : 0.03)) });
  await keep({ name: 'orders per minute', points: points((place) => 40 + (place % 7)) });
  return `/services/${id}`;
}
