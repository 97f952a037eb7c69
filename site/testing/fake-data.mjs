// One small organization in the middle of a bad night, in the shapes of the contract.
const now = Date.now();
const ago = (seconds) => new Date(now - seconds * 1000).toISOString();
const hour = 3600;
const day = 24 * hour;

export const members = [
  { id: 'u1', name: 'Mara Lindqvist', email: 'mara@example.com', role: 'owner', joined_at: ago(900 * day) },
  {
    id: 'u2',
    name: 'Jonas Okafor',
    email: 'jonas@example.com',
    role: 'responder',
    joined_at: ago(800 * day),
  },
  { id: 'u3', name: 'Priya Raman', email: 'priya@example.com', role: 'responder', joined_at: ago(700 * day) },
  {
    id: 'u4',
    name: 'Tomás Herrera',
    email: 'tomas@example.com',
    role: 'responder',
    joined_at: ago(600 * day),
  },
  { id: 'u5', name: 'Wei Chen', email: 'wei@example.com', role: 'admin', joined_at: ago(500 * day) },
  {
    id: 'u6',
    name: 'Amira Haddad',
    email: 'amira@example.com',
    role: 'responder',
    joined_at: ago(400 * day),
  },
];
const [mara, jonas, priya] = members.map(({ id, name }) => ({ id, name }));

export const services = [
  'Checkout API',
  'Authentication Service',
  'Payment Gateway',
  'Search Index',
  'Notification Relay',
  'Data Warehouse',
].map((name, i) => ({
  id: `s${i + 1}`,
  name,
  health: ['down', 'degraded', 'healthy', 'healthy', 'healthy', 'healthy'][i],
  open_incident_count: [1, 1, 0, 0, 0, 1][i],
  team: { id: `t${i + 10}`, name: ['Payments', 'Identity', 'Payments', 'Discovery', 'Platform', 'Data'][i] },
  last_incident_at: ago([252, hour, 4 * day, 14 * hour, 20 * hour, 2 * hour][i]),
  escalation_policy_id: 'p1',
  escalation_policy: { id: 'p1', name: 'Payments, critical' },
  tier: [1, 1, 1, 2, 2, 3][i],
  service_key_hint: `nbs_0${i}…`,
  created_at: ago(300 * day),
}));

for (let i = services.length; i < Number(process.env.FAKE_SERVICES ?? 0); i++)
  services.push({
    ...services[2],
    id: `s${i + 1}`,
    name: `Worker ${String(i).padStart(4, '0')}`,
    health: i === 1100 ? 'down' : 'healthy',
    last_incident_at: undefined,
  });

const rows = [
  ['c41e', 'Checkout payments failing in eu-west-1', 'triggered', 'critical', 1, 252],
  ['9a07', 'Login latency above 2 s at p95', 'acknowledged', 'high', 2, hour + 60],
  ['5be2', 'Replication lag on orders-replica-2 above 90 s', 'acknowledged', 'high', 6, 2 * hour + 60],
  ['18fa', 'Retry storm on checkout queue', 'resolved', 'high', 1, 11 * hour],
  ['d3c9', 'Search index refresh older than 30 minutes', 'resolved', 'medium', 4, 14 * hour],
  ['40b6', 'Certificate for status.example.com expires in 6 days', 'resolved', 'low', 5, 20 * hour],
  ['a1f8', 'Push delivery rate below 95% for Android', 'resolved', 'high', 5, 26 * hour],
  ['e77c', 'Fewer than 10 orders in the last hour', 'resolved', 'critical', 1, 28 * hour],
  ['03dd', 'Disk 91% full on warehouse-ingest-4', 'resolved', 'medium', 6, 30 * hour],
  ['b9e4', 'Token refresh errors after key rotation', 'resolved', 'high', 2, 50 * hour],
  ['7c20', 'Autocomplete p95 above 800 ms', 'resolved', 'low', 4, 52 * hour],
  ['f5a3', 'Webhook retries to ledger partner exhausted', 'resolved', 'medium', 3, 53 * hour],
  ['26be', 'Nightly reconciliation job did not report', 'resolved', 'high', 3, 75 * hour],
  ['8d91', 'Conversion rate below 2% over 24 hours', 'resolved', 'medium', 1, 77 * hour],
  ['c0e5', 'Gateway 3-D Secure challenge timeouts', 'resolved', 'critical', 3, 98 * hour],
  ['6f1b', 'Consumer lag on events.orders above 50,000', 'resolved', 'medium', 6, 99 * hour],
  ['92ad', 'SMTP bounce rate above 4%', 'resolved', 'low', 5, 121 * hour],
];
for (let i = rows.length; i < Number(process.env.FAKE_ROWS ?? 25); i++) {
  rows.push([
    (0x1000 + i * 5).toString(16).slice(-4),
    `Worker ${i} restarted more than 3 times`,
    'resolved',
    ['low', 'medium', 'high'][i % 3],
    (i % 6) + 1,
    (121 + i) * hour,
  ]);
}

export const incidents = rows.map(([last, title, status, severity, service, age], i) => ({
  id: `01993c5e-7f00-7000-8000-00000000${last}`,
  number: 2318 - i,
  title,
  description: i === 0 ? '38% of card payments in eu-west-1 fail with a timeout at the gateway.' : '',
  status,
  severity,
  service: { id: `s${service}`, name: services[service - 1].name },
  triggered_at: ago(age),
  acknowledged_at: status === 'triggered' ? null : ago(age - 200),
  acknowledged_by: status === 'triggered' ? null : [mara, jonas, priya][i % 3],
  resolved_at: status === 'resolved' ? ago(age - 1800) : null,
  assignee: null,
  source: 'prometheus',
  alert_count: i === 0 ? 3 : 1,
  escalation:
    status === 'triggered'
      ? {
          status: 'active',
          escalation_policy: { id: 'p1', name: 'Payments, critical' },
          step: 1,
          step_count: 2,
          next_due_at: ago(-48),
          next_targets: ['Jonas Okafor'],
        }
      : {
          status: 'stopped',
          escalation_policy: { id: 'p1', name: 'Payments, critical' },
          step: 1,
          step_count: 2,
          next_targets: [],
          reason: 'acknowledged',
        },
}));

const first = incidents[0].id;
const event = (kind, seconds, actor, message, extra = {}) => ({
  id: `e${kind}${seconds}`,
  incident_id: first,
  kind,
  actor_kind: actor ? 'user' : 'system',
  actor,
  message,
  at: ago(seconds),
  ...extra,
});

// Acknowledged when it was medium.
const rose = incidents.find(({ id }) => id.endsWith('5be2'));
Object.assign(rose, { acknowledged_severity: 'medium', confirmation_wanted: true });

export const timelines = {
  [first]: [
    event('declared', 252, null, 'Incident declared from Prometheus alert CheckoutPaymentFailureRate'),
    event('paged', 252, null, 'Paged Mara Lindqvist by email'),
    event('alert_linked', 186, null, 'Alert GatewayPoolExhausted linked'),
    event('severity_change', 105, null, 'Severity changed from high to critical'),
    event(
      'comment',
      24,
      priya,
      'The gateway pool is at its limit on eu-west-1b only. Not in the on-call slot, but I can look until Mara is up.',
    ),
  ],
};

const page = (seconds, channel, user, contact, status, took, extra = {}) => ({
  id: `n${channel}${seconds}`,
  step: 1,
  round: 1,
  user,
  channel,
  contact_name: contact,
  contact_hint: contact,
  status,
  due_at: ago(252 - seconds),
  attempts:
    took === null
      ? []
      : [
          {
            id: `a${channel}${seconds}`,
            outcome: status === 'sent' ? 'accepted' : status === 'sending' ? 'sending' : 'temporary_failure',
            detail: extra.reason ?? '',
            started_at: ago(252 - seconds - 0.3),
            finished_at: status === 'sending' ? null : ago(252 - seconds - 0.3 - took),
          },
        ],
  ...extra,
});

const onCall = {
  why: {
    sentence: 'On call for 24/7 Support (Day, weekdays) until 20:00; step 1 of Payments, critical.',
    escalation_policy: { id: 'p1', name: 'Payments, critical' },
    step: 1,
    round: 1,
    target_kind: 'schedule',
    target: { id: 'x', name: '24/7 Support' },
    because: 'rotation',
    because_name: 'Day, weekdays',
    shift_starts_at: ago(4 * hour),
    shift_ends_at: ago(-8 * hour),
    severity: 'high',
    decided_at: ago(252),
  },
};
const shared = {
  why: {
    sentence: 'Shared channel #incidents; step 1 of Payments, critical.',
    escalation_policy: { id: 'p1', name: 'Payments, critical' },
    step: 1,
    round: 1,
    target_kind: 'channel',
    target: { id: 'x', name: '#incidents' },
    severity: 'high',
    decided_at: ago(252),
  },
};

export const notifications = {
  [first]: [
    page(0, 'slack', null, '#incidents', 'sent', 0.42, shared),
    page(0, 'email', mara, 'm···@example.com', 'sent', 0.61, onCall),
    page(60, 'sms', mara, '···4417', 'sent', 2.9, onCall),
    page(120, 'voice', mara, '···4417', 'failed', 28, { reason: 'No answer', ...onCall }),
    page(240, 'voice', mara, '···4417', 'sending', 12, onCall),
  ],
};

export const alerts = {
  [first]: [
    {
      id: 'al1',
      title: 'CheckoutPaymentFailureRate',
      status: 'firing',
      source: 'prometheus',
      starts_at: ago(252),
      occurrence_count: 41,
      last_seen_at: ago(20),
    },
    {
      id: 'al2',
      title: 'GatewayPoolExhausted',
      status: 'firing',
      source: 'prometheus',
      starts_at: ago(186),
      occurrence_count: 12,
      last_seen_at: ago(20),
    },
    {
      id: 'al3',
      title: 'CheckoutSyntheticFrankfurt',
      status: 'resolved',
      source: 'grafana',
      starts_at: ago(120),
      ends_at: ago(30),
      occurrence_count: 1,
      last_seen_at: ago(120),
    },
  ],
};

export const policies = [
  {
    id: 'p1',
    name: 'Payments, critical',
    description: 'Whoever is on call, then the backup.',
    repeat_count: 2,
    is_default: true,
    steps: [
      {
        delay_seconds: 300,
        targets: [
          { kind: 'user', id: 'u1', name: 'Mara Lindqvist' },
          { kind: 'channel', id: 'c1', name: '#incidents' },
        ],
      },
      { delay_seconds: 600, targets: [{ kind: 'user', id: 'u2', name: 'Jonas Okafor' }] },
    ],
  },
  {
    id: 'p2',
    name: 'Platform, round the clock',
    description: 'The schedule, then the backup.',
    repeat_count: 1,
    steps: [
      { delay_seconds: 300, targets: [{ kind: 'schedule', id: 'h1', name: '24/7 Support' }] },
      { delay_seconds: 600, targets: [{ kind: 'schedule', id: 'h5', name: 'Backup Support' }] },
    ],
  },
];

export const contacts = [
  { id: 'c0', kind: 'email', name: 'Work mail', hint: 'm···@example.com', shared: false, verified: true },
  { id: 'c1', kind: 'slack', name: '#incidents', hint: 'hooks.slack.com/···', shared: true, verified: true },
  { id: 'c2', kind: 'email', name: 'Private mail', hint: 'm···@example.org', shared: false, verified: false },
  {
    id: 'c3',
    kind: 'webhook',
    name: 'Status page',
    hint: 'status.example.com/···',
    shared: true,
    verified: true,
    failing_reason: 'It answered 503 Service Unavailable.',
    failing_since_at: ago(2 * hour),
  },
];

export const mails = [
  {
    id: 'm1',
    from: 'Nightbell <nightbell@localhost>',
    to: 'mara@example.com',
    subject: '[Critical] Checkout payments failing in eu-west-1',
    received_at: ago(251),
    text: 'Critical: Checkout payments failing in eu-west-1\n\nService: Checkout API\nSince: 03:08:14 CET\n\nOpen the incident: http://127.0.0.1:8480/incidents/x',
    html: '<p><b>Critical: Checkout payments failing in eu-west-1</b></p><p>Checkout API, since 03:08:14 CET</p><p><a href="http://127.0.0.1:8480/incidents/x">Open the incident</a></p>',
  },
  {
    id: 'm2',
    from: 'Nightbell <nightbell@localhost>',
    to: 'mara@example.com',
    subject: '[Resolved] Retry storm on checkout queue',
    received_at: ago(10 * hour),
    text: 'Resolved after 30 minutes.',
    html: '',
  },
];
for (let i = mails.length; i < Number(process.env.FAKE_MAILS ?? 0); i++)
  mails.push({
    ...mails[1],
    id: `m${i + 1}`,
    subject: `[Resolved] Worker ${i} restarted`,
    received_at: ago((10 + i) * hour),
  });
