/** A sentence of the specification that a test elsewhere observes: section, sentence, its file from the root, its name there. */
type Proof = readonly [section: number, sentence: string, file: string, test: string];

const calls = 'api/internal/app/testdata/spec_calls.golden';
const golden = (section: number, sentence: string, call: string): Proof => [section, sentence, calls, call];
const registration = 'site/app/features/auth/components/register-dialog.test.tsx';
const login = 'site/app/features/auth/components/login-dialog.test.tsx';
const api = 'site/app/lib/api.test.ts';
const list = 'site/app/routes/incidents.test.tsx';
const one = 'site/app/routes/incident.test.tsx';
const site = 'site/e2e/site.spec.ts';
const session = 'site/e2e/session.spec.ts';

/**
 * What is proven already is not proven twice. testing/sentences.test.ts holds that each of these tests exists.
 * A call of section 7 is one of the recorded ones that TestSpecCallsAnswerAsRecorded makes again.
 */
export const elsewhere: readonly Proof[] = [
  [
    1,
    'the figures of the demo are those of the specification',
    'api/internal/demo/demo_test.go',
    'TestFiguresAreTheSpecifications',
  ],
  [2, 'the unknown path is logged', 'api/internal/platform/web/site_test.go', 'TestMissingPageIsLogged'],
  [2, 'unknown paths have the status 404', site, 'answer unknown paths with the 404 page and status'],
  [
    2,
    'from the docs page, section links navigate to /#section',
    site,
    'scroll to a section from the documentation',
  ],
  [2, 'the default theme is dark, on the landing page system', site, 'before anything is drawn'],
  [
    2,
    'a hash in the URL scrolls smoothly after 100 ms',
    'site/app/lib/hash-scroll.test.tsx',
    'scrolls smoothly to the section of the hash after 100 ms',
  ],
  [
    2,
    'pricing buttons carry the plan (deviation)',
    'site/e2e/landing.spec.ts',
    'carries the chosen plan into the registration',
  ],
  [
    2,
    'contactSales opens a question to sales (deviation)',
    'site/e2e/landing.spec.ts',
    'keeps a question to sales, and what was written when that failed',
  ],
  [
    2,
    'demo buttons show the demo (deviation)',
    'site/e2e/landing.spec.ts',
    'shows the demo in one click, to look at only',
  ],
  [2, 'Subscribe keeps an address (deviation)', 'site/e2e/landing.spec.ts', 'keeps an address for news'],
  [
    2,
    'forgotten password mails a link where mail leaves (deviation)',
    login,
    'asks for a link where mail leaves the installation',
  ],
  [
    2,
    'signing in leads to /dashboard; Logout clears token, refresh token and user and goes to /',
    site,
    'leads to the dashboard, and Logout back',
  ],
  [
    2,
    'dashboard: MTTA 12m 45s, MTTR 2h 15m, each with a change',
    'site/e2e/dashboard.spec.ts',
    'shows MTTA 12m 45s and MTTR 2h 15m with their change from last week',
  ],
  [
    2,
    'dashboard: the search and the filter narrow (deviation)',
    'site/e2e/dashboard.spec.ts',
    'narrows by text and by a filter that stands in the address',
  ],
  [2, 'incidents: Open is triggered only', list, 'filters by address, Open meaning triggered only'],
  [2, 'incidents: Acknowledge in the row', list, 'acknowledges in the row'],
  [
    2,
    'timeline: assigned, severity_change, comment',
    'site/app/features/incidents/model/timeline.test.ts',
    'comment',
  ],
  [2, 'the comment box ignores blank text', one, 'posts a comment, and ignores a blank one'],
  [
    2,
    'only the status of Slack and GitHub is of the server',
    'site/app/routes/integrations.test.tsx',
    'are connected while they called in the last 30 days',
  ],
  [
    2,
    'the tabs of the integrations filter (deviation)',
    'site/app/routes/integrations.test.tsx',
    '%s shows %j',
  ],
  [
    2,
    'the search of the integrations filters (deviation)',
    'site/app/routes/integrations.test.tsx',
    'narrow the cards and the senders while typing, by name or category',
  ],
  [
    2,
    'on-call: the search filters by name, description or team',
    'site/e2e/oncall.spec.ts',
    'finds schedules by name, description or team',
  ],
  [
    2,
    'the tabs of the services filter (deviation)',
    'site/app/routes/services.test.tsx',
    'Incidents shows those with open incidents; All Services brings the others back',
  ],
  [
    2,
    'services: the edit icon edits',
    'site/e2e/services.spec.ts',
    'a service is edited from its page and from the list, and a second writer is asked',
  ],
  [
    2,
    'a service that does not exist is said so (deviation: no sample)',
    'site/app/routes/service.test.tsx',
    'is a page that says so where there is no such service',
  ],

  golden(
    3,
    'registration request: user_type, name, email, password, org_name, timezone',
    'POST /v1/auth/register  # organization',
  ),
  golden(3, 'registration request: phone', 'POST /v1/auth/register  # individual with a phone'),
  golden(
    3,
    'login response: user, tokens.access_token, tokens.refresh_token',
    'POST /v1/auth/login  # right password',
  ),
  golden(
    3,
    'incident: id, number, title, description, status, severity, service_name, triggered_at',
    'GET /v1/incidents/{incident}  # triggered',
  ),
  golden(3, 'incident: acknowledged_by with a name', 'GET /v1/incidents/{incident}  # acknowledged'),
  golden(
    3,
    'the list response has an incidents array',
    'GET /v1/incidents?limit=1000&offset=0  # the list page',
  ),
  [
    3,
    'Prometheus test payload, severity critical (deviation)',
    'site/app/features/services/model/curl.test.ts',
    'the test alert is what Alertmanager sends',
  ],
  golden(
    3,
    'the server takes the Prometheus test payload',
    'POST /v1/webhooks/prometheus/{service_key}  # test alert',
  ),
  golden(
    3,
    'SDK incident payload with tags and metadata; the result has an id',
    'POST /v1/incidents  # as SDKs send it',
  ),
  [
    3,
    'SDK configuration: apiKey, serviceKey, baseUrl, timeout, enableAutoCapture, debug, environment',
    'proto/vectors/config.json',
    '"enable_auto_capture"',
  ],

  [
    4,
    'registration: loading, success with its message, closed after 2000 ms',
    registration,
    'registers a person, says so, and closes after two seconds',
  ],
  [4, 'registration: error with a banner, the button enabled again', registration, 'shows a banner when %s'],
  [
    4,
    'login: pending, success, redirected after 1500 ms',
    login,
    'signs in, stores the session, and goes on after 1.5 seconds',
  ],
  golden(4, 'triggered to acknowledged', 'POST /v1/incidents/{incident}/acknowledge  # triggered'),
  golden(4, 'acknowledged to resolved', 'POST /v1/incidents/{incident}/resolve  # acknowledged'),
  golden(4, 'resolved stays resolved', 'POST /v1/incidents/{incident}/acknowledge  # resolved'),

  [
    5,
    'phone is sent only when it is not blank',
    registration,
    'registers a person, says so, and closes after two seconds',
  ],
  [
    5,
    'org_name is sent only for an organization',
    registration,
    'asks an organization for its name and sends it',
  ],
  golden(5, 'the server requires name, email and password', 'POST /v1/auth/register  # nothing filled in'),
  golden(5, 'the server requires an e-mail address', 'POST /v1/auth/register  # no e-mail address'),
  golden(
    5,
    'the server requires the name of an organization',
    'POST /v1/auth/register  # organization without a name',
  ),
  golden(5, 'sign-in: e-mail and password are required', 'POST /v1/auth/login  # nothing filled in'),

  [6, 'every other call needs a bearer token', 'api/internal/app/spec_calls_list_test.go', 'withoutToken'],
  [
    6,
    'calls without a session beyond the three are declared',
    'api/internal/app/spec_strangers_test.go',
    'TestEveryCallWithoutASessionIsADeclaredDeviation',
  ],
  [
    6,
    'calls without a session beyond the three are rate-limited',
    'api/internal/app/spec_strangers_test.go',
    'TestCallsWithoutASessionAreLimitedByNetwork',
  ],

  golden(7, 'POST /v1/auth/register', 'POST /v1/auth/register  # organization'),
  golden(7, 'POST /v1/auth/login', 'POST /v1/auth/login  # right password'),
  golden(7, 'GET /v1/incidents?limit&offset', 'GET /v1/incidents?limit=1&offset=1  # the second page'),
  golden(7, 'GET /v1/incidents/{id}', 'GET /v1/incidents/{incident}  # triggered'),
  golden(7, 'POST /v1/incidents', 'POST /v1/incidents  # only a title'),
  golden(7, 'POST /v1/incidents/{id}/acknowledge', 'POST /v1/incidents/{incident}/acknowledge  # triggered'),
  golden(7, 'POST /v1/incidents/{id}/resolve', 'POST /v1/incidents/{incident}/resolve  # acknowledged'),
  golden(7, 'POST /v1/services', 'POST /v1/services  # only a name'),
  golden(7, 'GET /v1/services', 'GET /v1/services  # two services'),
  golden(
    7,
    'POST /v1/webhooks/prometheus/{service_key}, without a token',
    'POST /v1/webhooks/prometheus/{service_key}  # test alert',
  ),
  [
    7,
    'Test alert sent successfully!',
    'site/e2e/services.spec.ts',
    'a test alert opens an incident; a new key replaces the address; a deleted service is not found',
  ],
  [7, 'on 401 the session ends, with its sentence', api, 'ends the session when the refresh is refused'],
  [7, 'on 401 it goes to / and says so', session, 'that expired comes back to the incident it was on'],
  [
    7,
    'create, acknowledge and resolve do not handle 401 specially',
    api,
    'leaves it alone for calls that handle the refusal themselves',
  ],

  golden(8, 'registration: the message of the server', 'POST /v1/auth/register  # address taken'),
  [8, 'Registration failed. Please try again.', registration, "'Registration failed. Please try again.'"],
  [
    8,
    'registration: Network error. Please check your connection and try again.',
    registration,
    "'Network error. Please check your connection and try again.'",
  ],
  golden(8, 'Login failed. Please check your credentials.', 'POST /v1/auth/login  # wrong password'),
  [
    8,
    'login: Network error. Please check your connection and try again.',
    login,
    "'Network error. Please check your connection and try again.'",
  ],
  [8, 'No authentication token found. Please log in again.', api, 'without a token'],
  golden(8, 'No authentication token found. Please log in again. (server)', 'GET /v1/incidents  # no token'),
  golden(8, 'Authentication expired. Please log in again.', 'GET /v1/incidents  # expired token'),
  golden(8, 'Incident not found', "GET /v1/incidents/{nobody}  # nobody's id"),
  [
    8,
    'failed acknowledge and resolve are shown (deviation)',
    'site/e2e/offline.spec.ts',
    'that is pressed while offline fails at once with a Retry, and is never sent later',
  ],
  [8, 'forgot password: alert to contact support', login, 'sends whoever forgot the password to support'],

  [
    9,
    'registration closes after 2000 ms',
    registration,
    'registers a person, says so, and closes after two seconds',
  ],
  [9, 'login redirects after 1500 ms', login, 'signs in, stores the session, and goes on after 1.5 seconds'],
  [
    9,
    'hash scroll after 100 ms',
    'site/app/lib/hash-scroll.test.tsx',
    'scrolls smoothly to the section of the hash after 100 ms',
  ],
  [
    9,
    'copy confirmations stay 2 seconds',
    'site/e2e/docs.spec.ts',
    'takes the code to the letter and shows a tick for two seconds',
  ],
  [
    9,
    'lists are cached 60 s, incidents 5 minutes',
    'site/testing/cache-times.test.ts',
    'lists are fresh for 60 s, an incident for 5 minutes',
  ],
  [
    9,
    'nothing is read again when the window is focused',
    'site/testing/cache-times.test.ts',
    'nothing is asked again when the window is focused',
  ],
];
