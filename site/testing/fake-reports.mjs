// What programs reported: an error with its causes, readings of a service, and its changes.
const now = Date.now();
const ago = (seconds) => new Date(now - seconds * 1000).toISOString();
const hour = 3600;

/** The incident that a program reported: its last four characters. */
const reported = '01993c5e-7f00-7000-8000-0000000018fa';

const alert = {
  id: 'al9',
  key: 'd7b975473f710babdaac1a221b491c6c',
  title: 'TokenRefreshFailed: no key for kid 2026-03',
  status: 'resolved',
  severity: 'high',
  source: 'auth-7c9f',
  labels: { region: 'eu-west-1', type: 'error' },
  starts_at: ago(50 * hour),
  ends_at: ago(49 * hour),
  occurrence_count: 128,
  last_seen_at: ago(49 * hour),
  has_report: true,
};

const frame = (function_, file, line, in_app, source = {}) => ({
  function: function_,
  file,
  line,
  in_app,
  ...source,
});

const report = {
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
          frame('run_endpoint_function', '/usr/lib/python3.12/site-packages/fastapi/routing.py', 212, false),
          frame('app', '/usr/lib/python3.12/site-packages/starlette/routing.py', 76, false),
          frame('__call__', '/usr/lib/python3.12/site-packages/starlette/middleware/errors.py', 165, false),
        ],
      },
      {
        type: 'KeyMissing',
        message: '2026-03',
        frames: [
          frame('get', '/srv/auth/keys.py', 30, true, { module: 'auth.keys' }),
          frame('fetch', '/usr/lib/python3.12/site-packages/vault/client.py', 120, false),
        ],
      },
      { type: 'TimeoutError', message: 'vault did not answer within 2 s' },
    ],
    breadcrumbs: [
      { at: ago(49 * hour + 2), category: 'http', message: 'POST /session/refresh' },
      { at: ago(49 * hour + 1), category: 'cache', message: 'miss', key: 'kid:2026-03' },
    ],
  },
  operation: 'POST /session/refresh',
  environment: 'production',
  release: '2026.3.23',
  user: { id: 'u-4417' },
  trace: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' },
  metadata: { kid: '2026-03', attempts: 3 },
  links: [{ href: 'https://logs.example.com/auth', text: 'Logs' }],
  occurrence_count: 128,
  first_seen_at: ago(50 * hour),
  last_seen_at: ago(49 * hour),
};

const points = (count, step, value) =>
  Array.from({ length: count }, (_, i) => {
    const average = value(i);
    return {
      at: ago((count - i) * step),
      sample_count: 4,
      average,
      min: average,
      max: average * 1.1,
      last: average,
    };
  });

function samples(hours) {
  const step = (hours * hour) / 72;
  const broke = (i) => (i < 60 ? 180 + (i % 5) * 4 : 180 + (i - 59) * 170);
  return {
    since: ago(hours * hour),
    until: ago(0),
    step_seconds: step,
    series: [
      { name: 'latency', unit: 'ms', points: points(72, step, broke) },
      { name: 'error_rate', unit: '1', points: points(72, step, (i) => (i < 60 ? 0.001 : 0.03)) },
      { name: 'orders per minute', unit: '1', points: points(40, step, (i) => 40 + (i % 7)) },
    ],
  };
}

const activity = [
  {
    id: '01993c5e-7f00-7000-8000-00000000c41e',
    kind: 'incident',
    summary: 'Checkout payments failing in eu-west-1',
    at: ago(252),
    incident_number: 2318,
    status: 'triggered',
    severity: 'critical',
  },
  {
    id: 'ch1',
    kind: 'deployment',
    summary: 'Deployed to all zones',
    version: '2026.3.25-1',
    author: 'Wei Chen',
    at: ago(620),
  },
  {
    id: '01993c5e-7f00-7000-8000-0000000018fa',
    kind: 'incident',
    summary: 'Retry storm on checkout queue',
    at: ago(11 * hour),
    incident_number: 2315,
    status: 'resolved',
    severity: 'high',
  },
  { id: 'ch2', kind: 'feature_flag', summary: 'New basket for 10% of customers', at: ago(15 * hour) },
  {
    id: 'ch3',
    kind: 'configuration',
    summary: 'Escalation policy is now Payments, critical',
    author: 'Amira Haddad',
    at: ago(31 * hour),
  },
];

/** Answers what is asked of reports, readings and changes; undefined for anything else. */
export function answerReports(path, query) {
  const [, , kind, id, part, one] = path.split('/');
  if (kind === 'services' && part === 'samples') {
    const hours = Math.round((now - Date.parse(query.get('since') ?? ago(24 * hour))) / 3_600_000);
    return { code: 200, body: id === 's1' ? samples(Math.max(1, hours)) : {} };
  }
  if (kind === 'services' && part === 'activity')
    return { code: 200, body: { activity: id === 's1' ? activity : [] } };
  if (kind !== 'incidents' || id !== reported || part !== 'alerts') return undefined;
  if (one) return { code: 200, body: { alert, report } };
  return { code: 200, body: { alerts: [alert], total_count: 1, firing_count: 0 } };
}
