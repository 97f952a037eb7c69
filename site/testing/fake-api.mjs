// The calls the site makes, answered from memory. FAKE_FAIL=/v1/incidents makes one path fail,
// FAKE_ROWS, FAKE_SERVICES and FAKE_MAILS make long lists.
import {
  alerts,
  contacts,
  incidents,
  mails,
  members,
  notifications,
  policies,
  services,
  timelines,
} from './fake-data.mjs';
import { answerEscalation } from './fake-escalation.mjs';
import { answerOncall } from './fake-oncall.mjs';
import { answerReports } from './fake-reports.mjs';

const me = { ...members[0], org_name: 'Tidewater' };
const streams = new Set();
let seq = 1;

const find = (id) => incidents.find((incident) => incident.id === id);
const status = (code, message) => ({ code, body: { code: 'x', message, details: [] } });
const ok = (body) => ({ code: 200, body });

function change(id, fields, kind, message) {
  const incident = find(id);
  if (!incident) return status(404, 'That incident does not exist.');
  Object.assign(incident, fields);
  const event = {
    id: `e${seq}`,
    incident_id: id,
    kind,
    actor_kind: 'user',
    actor: { id: me.id, name: me.name },
    message,
    at: new Date().toISOString(),
    seq,
  };
  timelines[id] = [...(timelines[id] ?? []), event];
  for (const stream of streams)
    stream.write(`id: ${seq}\nevent: timeline\ndata: ${JSON.stringify(event)}\n\n`);
  seq += 1;
  return ok({ incident });
}

const person = { id: me.id, name: me.name };
const stamp = () => new Date().toISOString();
const verbs = {
  acknowledge: (id) =>
    change(
      id,
      {
        status: 'acknowledged',
        acknowledged_severity: find(id)?.severity,
        confirmation_wanted: false,
        acknowledged_by: person,
        acknowledged_at: stamp(),
        escalation: { ...find(id)?.escalation, status: 'stopped', next_due_at: null, next_targets: [] },
      },
      'acknowledged',
      'Incident acknowledged',
    ),
  resolve: (id) => change(id, { status: 'resolved', resolved_at: stamp() }, 'resolved', 'Incident resolved'),
  assign: (id, body) =>
    change(
      id,
      { assignee: members.find((member) => member.id === body.assignee_id) ?? null },
      'assigned',
      `Assigned to ${members.find((m) => m.id === body.assignee_id)?.name ?? 'nobody'}`,
    ),
  escalate: (id) => change(id, {}, 'escalated', 'Escalated to step 2'),
  comments: (id, body) => change(id, {}, 'comment', body.message),
};

// What a test makes for itself is in no list, because others count the rows.
function isWanted({ status, title, description = '', service, tags }, query) {
  const wanted = query.get('status') ?? status;
  const words = `${title}\n${description}\n${service?.name}`.toLowerCase();
  return (
    !tags?.unlisted &&
    (wanted === 'open' ? status !== 'resolved' : wanted === status) &&
    (query.get('service_id') ?? service?.id) === service?.id &&
    words.includes((query.get('text') ?? '').toLowerCase())
  );
}

// Lists come by pages, as they do from the server.
function cut(body, query) {
  const list = Object.keys(body).find((name) => Array.isArray(body[name]));
  const size = Number(query.get('limit') ?? (list === 'mails' ? 200 : 1000));
  const start = Number(query.get('cursor') ?? 0);
  if (!list || body[list].length <= start + size)
    return list ? { ...body, [list]: body[list].slice(start) } : body;
  return { ...body, [list]: body[list].slice(start, start + size), next_cursor: `${start + size}` };
}

const pages = {
  'GET /v1/incidents': (_, query) =>
    ok({ incidents: incidents.filter((incident) => isWanted(incident, query)) }),
  'GET /v1/incidents/counts': () =>
    ok(
      Object.fromEntries(
        ['triggered', 'acknowledged', 'resolved'].map((name) => [
          `${name}_count`,
          incidents.filter(({ status, tags }) => status === name && !tags?.unlisted).length,
        ]),
      ),
    ),
  'GET /v1/users': () => ok({ users: members }),
  'GET /v1/services': () => ok({ services }),
  'GET /v1/escalation-policies': () => ok({ escalation_policies: policies }),
  'GET /v1/installation': () => ok({ notices: [], mail: 'inbox' }),
  'GET /v1/contact-methods': () => ok({ contact_methods: contacts }),
  'GET /v1/integrations/slack/config': () => status(404, 'No Slack integration configured'),
  'GET /v1/inbox': () => ok({ mails: mails.map(({ text, html, ...mail }) => mail) }),
  'GET /v1/auth/me': (_, __, token) =>
    ok({ user: { ...me, role: token.split(' ')[1] ?? me.role }, org_name: me.org_name }),
  'POST /v1/auth/logout': () => ok({}),
  'POST /v1/auth/login': (body) =>
    body.password === 'wrong'
      ? status(401, 'The e-mail address or the password is not right.')
      : ok({ user: me, tokens: { access_token: 'a', refresh_token: 'r' } }),
  'POST /v1/auth/register': (body) =>
    body.email === 'taken@example.com'
      ? status(409, 'There is already an account for this e-mail address. Log in instead.')
      : ok({ user: me }),
  'POST /v1/services': (body) => {
    const service = {
      ...services[0],
      ...body,
      id: `s${services.length + 1}`,
      health: 'healthy',
      open_incident_count: 0,
    };
    services.push(service);
    return ok({ service, service_key: `nbs_${'0'.repeat(43)}` });
  },
  'POST /v1/incidents': (body) => {
    const incident = {
      ...incidents[0],
      tags: {}, // not those of another test's
      ...body,
      id: `01993c5e-7f00-7000-8000-0000000${Date.now().toString(16).slice(-5)}`,
      status: 'triggered',
      triggered_at: stamp(),
      service: services.find((service) => service.id === body.service_id),
    };
    incidents.unshift(incident);
    return change(incident.id, {}, 'declared', 'Incident declared');
  },
};

function route(method, path, body, query, token) {
  const page = pages[`${method} ${path}`];
  if (page) return page(body, query, token);
  const other =
    answerEscalation(method, path, body, query) ??
    answerOncall(method, path, body, query) ??
    answerReports(path, query);
  if (other) return other;
  const [, , kind, id, part] = path.split('/');
  if (kind === 'services' && path.endsWith('/key'))
    return ok({ webhook_url: `http://127.0.0.1:8480/v1/webhooks/prometheus/nbs_${'0'.repeat(43)}` });
  if (kind === 'services')
    return ok({ service: services.find((service) => service.id === id) ?? services[0] });
  if (kind === 'inbox') return ok({ mail: mails.find((mail) => mail.id === id) });
  if (kind !== 'incidents') return status(404, 'There is nothing at this address.');
  if (!find(id)) return status(404, 'That incident does not exist.');
  if (method === 'POST') return verbs[part](id, body);
  if (part === 'timeline') return ok({ entries: timelines[id] ?? [] });
  if (part === 'notifications') return ok({ notifications: notifications[id] ?? [] });
  if (part === 'alerts')
    return ok({
      alerts: alerts[id] ?? [],
      total_count: alerts[id]?.length ?? 0,
      firing_count: alerts[id]?.length ?? 0,
    });
  return ok({ incident: find(id) });
}

function stream(response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(': open\n\n');
  streams.add(response);
  const beat = setInterval(() => response.write(': beat\n\n'), 4000);
  response.on('close', () => {
    streams.delete(response);
    clearInterval(beat);
  });
}

// The access token names the role of whoever calls: "a viewer"; alone it is the owner's.
function tokenOf(request) {
  return (request.headers.authorization ?? '').replace('Bearer ', '');
}

/** Answers one request of the site. */
export async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://x');
  let text = '';
  for await (const chunk of request) text += chunk;
  if (pathname === '/v1/stream' && !process.env.FAKE_NO_STREAM) return stream(response);
  const fails = process.env.FAKE_FAIL && pathname.startsWith(process.env.FAKE_FAIL);
  const { code, body } = fails
    ? status(503, 'The database is away. Try again in a moment.')
    : route(request.method, pathname, text ? JSON.parse(text) : {}, searchParams, tokenOf(request));
  const shown = request.method === 'GET' && code === 200 ? cut(body, searchParams) : body;
  setTimeout(
    () => response.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(shown)),
    Number(process.env.FAKE_DELAY ?? 60),
  );
}
