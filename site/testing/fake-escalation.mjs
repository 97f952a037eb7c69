// Policies, teams, maintenance and explanations of the fake server.
import { contacts, members, policies, services } from './fake-data.mjs';

const minute = 60_000;
const hour = 60 * minute;
const inTime = (ms) => new Date(Date.now() + ms).toISOString();
const person = ({ id, name }) => ({ id, name });
const [mara, jonas, priya] = members;

const office = { days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], from: '09:00', to: '17:00' };

policies.push(
  {
    id: 'p3',
    name: 'Data, working hours',
    description: 'Nobody is woken for the warehouse, except when it is critical.',
    repeat_count: 0,
    ack_timeout_seconds: 14_400,
    auto_resolve_seconds: 259_200,
    timezone: 'Europe/Berlin',
    used_by: [{ id: 's6', name: 'Data Warehouse' }],
    steps: [
      {
        delay_seconds: 900,
        assignment: 'round_robin',
        windows: [office],
        targets: [
          { kind: 'user', id: 'u3', name: 'Priya Raman' },
          { kind: 'user', id: 'u4', name: 'Tomás Herrera' },
        ],
      },
      {
        delay_seconds: 600,
        severities: ['critical'],
        targets: [
          { kind: 'schedule', id: 'h4', name: 'Night Shift' },
          { kind: 'channel', id: 'c1', name: '#incidents' },
        ],
      },
    ],
  },
  {
    id: 'p4',
    name: 'Identity',
    description: '',
    repeat_count: 3,
    timezone: 'UTC',
    used_by: services.slice(1, 5).map(person),
    steps: [
      { delay_seconds: 300, targets: [{ kind: 'schedule', id: 'h1', name: '24/7 Support' }] },
      { delay_seconds: 600, targets: [{ kind: 'schedule', id: 'h5', name: 'Backup Support' }] },
      { delay_seconds: 1500, targets: [{ kind: 'team', id: 't1', name: 'Platform' }] },
    ],
  },
);
const fakeRows = Number(process.env.FAKE_POLICIES ?? 0);
for (let i = policies.length; i < fakeRows; i++)
  policies.push({ ...policies[i % 4], id: `p${i + 1}`, name: `Policy ${i + 1}`, is_default: false });

const teams = [
  {
    id: 't1',
    name: 'Platform',
    description: 'Runtime, queues and deployments.',
    user_ids: ['u1', 'u2', 'u5'],
  },
  { id: 't2', name: 'Support', description: 'First to answer customers.', user_ids: ['u1', 'u3'] },
  { id: 't3', name: 'Infrastructure', description: '', user_ids: [] },
];
for (let i = teams.length; i < Number(process.env.FAKE_TEAMS ?? 0); i++)
  teams.push({ ...teams[i % 3], id: `t${i + 1}`, name: `Team ${i + 1}` });

const windowOf = (id, description, from, to, serviceIds, status, held = 0) => ({
  id,
  description,
  starts_at: inTime(from),
  ends_at: inTime(to),
  service_ids: serviceIds,
  services: serviceIds.map((one) => person(services.find((service) => service.id === one))),
  status,
  created_by: person(jonas),
  held_incident_count: held,
});
const windows = [
  windowOf('w1', 'Database upgrade to 17.4', -20 * minute, 100 * minute, ['s1', 's3'], 'under_way', 2),
  windowOf('w2', 'Switch replacement in the Frankfurt rack', 30 * hour, 34 * hour, ['s6'], 'scheduled'),
  windowOf('w3', 'Certificate rotation', -50 * hour, -49 * hour, ['s2', 's4', 's5'], 'ended'),
];
for (let i = windows.length; i < Number(process.env.FAKE_WINDOWS ?? 0); i++)
  windows.push(windowOf(`w${i + 1}`, `Window ${i + 1}`, -i * 5 * hour, (2 - i * 5) * hour, ['s1'], 'ended'));

const ok = (body) => ({ code: 200, body });
const refused = (code, message) => ({ code, body: { code: 'x', message, details: [] } });

function savePolicy(id, body) {
  const steps = body.steps.map((step) => ({
    ...step,
    targets: step.targets.map((target) => ({ ...target, name: nameOf(target) })),
  }));
  const old = policies.find((policy) => policy.id === id);
  const policy = { ...old, ...body, steps, id: id ?? `p${policies.length + 1}`, used_by: old?.used_by ?? [] };
  if (old) Object.assign(old, policy);
  else policies.push(policy);
  return ok({ escalation_policy: policy });
}

function nameOf({ kind, id }) {
  const lists = { user: members, team: teams, channel: contacts };
  const known = lists[kind]?.find((one) => one.id === id)?.name;
  const targets = policies.flatMap((policy) => policy.steps.flatMap((step) => step.targets));
  return known ?? targets.find((target) => target.id === id)?.name ?? id;
}

function makeDefault(policy) {
  for (const one of policies) one.is_default = one === policy;
  return ok({ escalation_policy: policy });
}

function deletePolicy(id) {
  const policy = policies.find((one) => one.id === id);
  const users = services.filter((service) => service.escalation_policy_id === id).length;
  if (policy?.is_default || users > 0 || policy?.used_by?.length)
    return refused(409, `${policy.name} is in use. Give its services another policy first.`);
  policies.splice(policies.indexOf(policy), 1);
  return ok({});
}

function saveTeam(id, body) {
  const old = teams.find((team) => team.id === id);
  if (teams.some((team) => team.name === body.name && team.id !== id))
    return refused(409, 'There is a team of this name already.');
  const team = { ...old, ...body, id: id ?? `t${teams.length + 1}` };
  if (old) Object.assign(old, team);
  else teams.push(team);
  return ok({ team });
}

function deleteTeam(id) {
  if (id === 't1') return refused(409, 'Identity pages this team. Take it out of that policy first.');
  const at = teams.findIndex((team) => team.id === id);
  teams.splice(at, 1);
  return ok({});
}

function createWindow(body) {
  const starts = body.starts_at ? Date.parse(body.starts_at) : Date.now();
  const ahead = starts > Date.now() + 1000;
  const window = windowOf(
    `w${windows.length + 1}`,
    body.description,
    starts - Date.now(),
    Date.parse(body.ends_at) - Date.now(),
    body.service_ids,
    ahead ? 'scheduled' : 'under_way',
  );
  windows.unshift({ ...window, created_by: person(mara) });
  return ok({ maintenance_window: windows[0] });
}

function changeWindow(id, body) {
  const window = windows.find((one) => one.id === id);
  const named = body.service_ids
    ? windowOf(id, '', 0, 0, body.service_ids, window.status).services
    : window.services;
  Object.assign(window, body, { services: named });
  return ok({ maintenance_window: window });
}

function endWindow(id) {
  const window = windows.find((one) => one.id === id);
  Object.assign(window, { status: 'ended', ends_at: inTime(0), held_incident_count: 0 });
  return ok({ maintenance_window: window });
}

const contactsOf = (at, kinds) =>
  kinds.map(([channel, name, hint, after]) => ({
    channel,
    name,
    hint,
    at: new Date(at + after * 1000).toISOString(),
  }));

function explain(query) {
  const service = services.find((one) => one.id === query.get('service_id'));
  const severity = query.get('severity') || 'critical';
  const at = query.get('at') ? Date.parse(query.get('at')) : Date.now();
  const moment = (after, fields) => ({
    at: new Date(at + after * 1000).toISOString(),
    after_seconds: after,
    round: 1,
    pages: [],
    ...fields,
  });
  const why = (step, sentence, fields = {}) => ({
    sentence,
    escalation_policy: { id: 'p1', name: 'Payments, critical' },
    step,
    round: 1,
    severity,
    decided_at: new Date(at).toISOString(),
    ...fields,
  });
  const held = service?.id === 's1';
  return ok({
    service: service && person(service),
    escalation_policy: { id: 'p1', name: 'Payments, critical' },
    severity,
    at: new Date(at).toISOString(),
    summary: 'Mara Lindqvist at once, Jonas Okafor after 5m; the owners are not needed.',
    hold_ends_at: held ? inTime(100 * minute) : undefined,
    hold_reason: held ? 'Database upgrade to 17.4' : undefined,
    moments: [
      moment(0, {
        step: 1,
        outcome: 'paged',
        message: 'Step 1 of Payments, critical pages 2.',
        pages: [
          {
            why: why(
              1,
              'On call for 24/7 Support (Day, weekdays) until 20:00; step 1 of Payments, critical.',
              {
                target_kind: 'schedule',
                target: { id: 'h1', name: '24/7 Support' },
                because: 'rotation',
                because_name: 'Day, weekdays',
                shift_starts_at: inTime(-4 * hour),
                shift_ends_at: inTime(8 * hour),
              },
            ),
            user: person(mara),
            contacts: contactsOf(at, [
              ['push', 'Pixel 9', 'Pixel 9', 0],
              ['email', 'Work mail', 'm···@example.com', 0],
              ['voice', 'Phone', '···4417', 120],
            ]),
          },
          {
            why: why(1, 'Shared channel #incidents; step 1 of Payments, critical.', {
              target_kind: 'channel',
            }),
            contacts: contactsOf(at, [['slack', '#incidents', 'hooks.slack.com/···', 0]]),
          },
        ],
      }),
      moment(300, {
        step: 2,
        outcome: 'skipped',
        message: 'Step 2 of Payments, critical was skipped: nobody is on call for Weekend Coverage.',
      }),
      moment(300, {
        step: 3,
        outcome: 'paged',
        message: 'Step 3 of Payments, critical pages 1.',
        pages: [
          {
            why: why(3, 'Jonas Okafor is named by the policy; step 3 of Payments, critical.', {
              target_kind: 'user',
            }),
            user: person(jonas),
            contacts: contactsOf(at + 300_000, [['email', 'Work mail', 'j···@example.com', 0]]),
          },
        ],
      }),
      moment(900, {
        step: 1,
        round: 2,
        outcome: 'last_resort',
        message: 'Nobody is on call for Payments, critical, so the owners of the workspace are paged.',
        pages: [
          {
            why: why(
              1,
              'Owner of the workspace, because nobody is on call for Payments, critical; round 2.',
              {
                target_kind: 'owner',
              },
            ),
            user: person(priya),
            contacts: [],
          },
        ],
      }),
      moment(1500, {
        outcome: 'exhausted',
        message: 'Nobody answered, and Payments, critical has nobody left to page.',
      }),
    ],
  });
}

const calls = {
  'POST /v1/escalation-policies': (body) => savePolicy(undefined, body),
  'GET /v1/teams': () => ok({ teams }),
  'POST /v1/teams': (body) => saveTeam(undefined, body),
  'GET /v1/maintenance-windows': () => ok({ maintenance_windows: windows }),
  'POST /v1/maintenance-windows': createWindow,
  'GET /v1/explain': (_, query) => explain(query),
};

/** The answer to a call about escalation, teams or maintenance; undefined for any other. */
export function answerEscalation(method, path, body, query) {
  const known = calls[`${method} ${path}`];
  if (known) return known(body, query);
  const [, , kind, id, part] = path.split('/');
  if (kind === 'escalation-policies' && id) {
    const policy = policies.find((one) => one.id === id);
    if (!policy) return refused(404, 'That escalation policy does not exist.');
    if (method === 'PATCH') return savePolicy(id, body);
    if (part === 'make-default') return makeDefault(policy);
    return method === 'DELETE' ? deletePolicy(id) : ok({ escalation_policy: policy });
  }
  if (kind === 'teams' && id) return method === 'PATCH' ? saveTeam(id, body) : deleteTeam(id);
  if (kind === 'maintenance-windows' && part === 'end') return endWindow(id);
  if (kind === 'maintenance-windows' && id) return changeWindow(id, method === 'PATCH' ? body : {});
  return undefined;
}
