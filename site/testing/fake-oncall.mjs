// Schedules answered from memory. Shifts are found by asking who is on at every quarter of an
// hour, which is slow and simple; the server has the real resolver. FAKE_SCHEDULES adds more.
import { members, policies } from './fake-data.mjs';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const quarter = 15 * minute;
const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const teams = ['Platform', 'Support', 'Infrastructure'].map((name, i) => ({
  id: `t${i + 1}`,
  name,
  description: '',
  user_ids: ['u1', 'u2'],
}));

const iso = (at) => new Date(at).toISOString();
const person = (id) => {
  const { name } = members.find((member) => member.id === id) ?? { name: 'Somebody' };
  return { id, name };
};
const ok = (body) => ({ code: 200, body });
const no = (code, message) => ({ code, body: { code: 'x', message, details: [] } });

// What the wall shows, as if it were UTC. Offsets change at quarters of an hour, so one is asked once.
const formats = new Map();
const offsets = new Map();
function local(at, zone) {
  const key = `${zone} ${Math.floor(at / quarter)}`;
  if (!offsets.has(key)) offsets.set(key, read(at - (at % minute), zone) - (at - (at % minute)));
  return at + offsets.get(key);
}
function read(at, zone) {
  if (!formats.has(zone)) {
    formats.set(
      zone,
      new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
      }),
    );
  }
  const parts = Object.fromEntries(
    formats
      .get(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute);
}
const clock = (text) => Number(text.slice(0, 2)) * hour + Number(text.slice(3, 5)) * minute;
const weekday = (wall) => (new Date(wall).getUTCDay() + 6) % 7;

function inWindow(window, wall) {
  const [from, to] = [clock(window.from), clock(window.to)];
  const time = wall % day;
  const overnight = to <= from;
  const began = overnight && time < to ? wall - day : wall;
  const inside = overnight ? time >= from || time < to : time >= from && time < to;
  return inside && (!window.days?.length || window.days.includes(names[weekday(began)]));
}

function turnOf(rotation, wall, zone) {
  const start = local(Date.parse(rotation.starts_at), zone);
  const length = rotation.length * { hour, day, week: 7 * day }[rotation.unit];
  let anchor = start - (start % day) + clock(rotation.handover);
  if (rotation.unit === 'week')
    anchor -= ((weekday(anchor) - names.indexOf(rotation.weekday || 'monday') + 7) % 7) * day;
  if (anchor > start) anchor -= rotation.unit === 'week' ? 7 * day : day;
  const place = Math.floor((wall - anchor) / length);
  return rotation.turns[((place % rotation.turns.length) + rotation.turns.length) % rotation.turns.length];
}

function layerAt(rotation, at, zone) {
  if (at < Date.parse(rotation.starts_at)) return [];
  if (rotation.ends_at && at >= Date.parse(rotation.ends_at)) return [];
  const wall = local(at, zone);
  if (rotation.windows?.length && !rotation.windows.some((window) => inWindow(window, wall))) return [];
  return turnOf(rotation, wall, zone)?.user_ids ?? [];
}

function finalAt(schedule, at) {
  if (schedule.status === 'inactive') return { users: [], because: 'inactive' };
  let found = { users: [], because: 'nothing' };
  for (const rotation of schedule.rotations) {
    const users = layerAt(rotation, at, schedule.timezone);
    if (users.length > 0)
      found = { users, because: 'rotation', because_id: rotation.id, because_name: rotation.name };
  }
  for (const one of overrides.filter((each) => each.schedule.id === schedule.id)) {
    if (at < Date.parse(one.starts_at) || at >= Date.parse(one.ends_at)) continue;
    const by = { because: 'override', because_id: one.id };
    if (one.kind === 'vacant') found = { users: [], ...by };
    else if (one.kind === 'take_over') found = { users: [one.user.id], ...by };
    else if (found.users.includes(one.replaces_user.id))
      found = { users: found.users.map((id) => (id === one.replaces_user.id ? one.user.id : id)), ...by };
  }
  return found;
}

// Every quarter of an hour, and the edges of overrides.
function shiftsOf(from, to, edges, at) {
  const times = new Set([from, ...edges.filter((edge) => edge > from && edge < to)]);
  for (let time = from - (from % quarter) + quarter; time < to; time += quarter) times.add(time);
  const shifts = [];
  let before = '';
  for (const time of [...times].sort((a, b) => a - b)) {
    const duty = at(time);
    const key = JSON.stringify(duty);
    if (key !== before) shifts.push({ starts_at: iso(time), ends_at: iso(to), ...duty });
    if (key !== before && shifts.length > 1) shifts.at(-2).ends_at = iso(time);
    before = key;
  }
  return shifts.map((shift) => ({ ...shift, users: shift.users.map(person) }));
}

const edgesOf = (schedule) => [
  ...overrides.flatMap((one) => [Date.parse(one.starts_at), Date.parse(one.ends_at)]),
  ...schedule.rotations.map((rotation) => Date.parse(rotation.starts_at)),
];

function clockChanges(from, to, zone) {
  const offset = (at) => local(at, zone) - at;
  const changes = [];
  for (let at = from - (from % quarter); at < to; at += quarter) {
    const by = offset(at) - offset(at - quarter);
    if (by === 0) continue;
    const words = (wall) => new Date(wall).toISOString().slice(11, 16);
    changes.push({
      at: iso(at),
      message: `${words(local(at, zone) - by)} becomes ${words(local(at, zone))}`,
    });
  }
  return changes;
}

function timelineOf(schedule, from, to) {
  return {
    from: iso(from),
    to: iso(to),
    timezone: schedule.timezone,
    final: shiftsOf(from, to, edgesOf(schedule), (at) => finalAt(schedule, at)),
    layers: schedule.rotations.map((rotation) => ({
      rotation_id: rotation.id,
      name: rotation.name,
      shifts: shiftsOf(from, to, edgesOf(schedule), (at) => {
        const users = layerAt(rotation, at, schedule.timezone);
        return { users, because: users.length ? 'rotation' : 'nothing', because_name: rotation.name };
      }).filter((shift) => shift.users.length > 0),
    })),
    overrides: overrides.filter((one) => one.schedule.id === schedule.id),
    clock_changes: clockChanges(from, to, schedule.timezone),
  };
}

// The same people count as one stretch, for whatever reason.
function onCallOf(schedule) {
  const now = Date.now();
  const all = shiftsOf(now - 8 * day, now + 15 * day, edgesOf(schedule), (at) => finalAt(schedule, at));
  const joined = all.reduce((list, shift) => {
    const last = list.at(-1);
    if (last && JSON.stringify(last.users) === JSON.stringify(shift.users)) last.ends_at = shift.ends_at;
    else list.push({ ...shift });
    return list;
  }, []);
  const at = joined.findIndex((shift) => Date.parse(shift.ends_at) > now);
  return {
    schedule: { id: schedule.id, name: schedule.name },
    timezone: schedule.timezone,
    current: joined[at],
    next: joined[at + 1],
  };
}

function problemsOf(schedule, from, to) {
  if (schedule.status === 'inactive') return [];
  return shiftsOf(from, to, edgesOf(schedule), (at) => finalAt(schedule, at))
    .filter((shift) => shift.users.length === 0 && shift.because === 'nothing')
    .map((shift) => ({
      kind: 'gap',
      schedule: { id: schedule.id, name: schedule.name },
      starts_at: shift.starts_at,
      ends_at: shift.ends_at,
      message: `Nobody is on call for ${schedule.name || 'this schedule'} from ${shift.starts_at} to ${shift.ends_at}.`,
    }));
}

const today = Math.floor(Date.now() / day) * day;
const monday = today - weekday(today) * day;
const turns = (...seats) => seats.map((seat) => ({ user_ids: seat, users: seat.map(person) }));
const weekdays = names.slice(0, 5);
const rotation = (id, name, seats, more) => ({
  id,
  name,
  turns: turns(...seats),
  unit: 'day',
  length: 1,
  handover: '08:00',
  starts_at: iso(monday - 70 * day),
  windows: [],
  ...more,
});
const schedule = (id, name, description, team, policy, rotations, more = {}) => ({
  id,
  name,
  description,
  team_id: teams.find((each) => each.name === team)?.id,
  team: teams.find((each) => each.name === team),
  timezone: 'Europe/Berlin',
  escalation_policy_id: policy || undefined,
  escalation_policy: policies.find((each) => each.id === policy),
  status: 'active',
  rotations,
  used_by: [],
  created_at: iso(monday - 200 * day),
  ...more,
});

const nights = { handover: '20:00', windows: [{ days: [], from: '20:00', to: '08:00' }] };
let schedules = [
  schedule('h1', '24/7 Support', 'Round-the-clock cover for tier 1 services', 'Platform', 'p2', [
    rotation('r1', 'Night', [['u1'], ['u1'], ['u1'], ['u2'], ['u2'], ['u2'], ['u4']], nights),
    rotation('r2', 'Day', [['u5']], { windows: [{ days: weekdays, from: '08:00', to: '20:00' }] }),
    rotation('r3', 'Weekend', [['u6'], ['u6', 'u3']], {
      unit: 'week',
      handover: '08:00',
      windows: [
        { days: ['saturday'], from: '14:00', to: '20:00' },
        { days: ['sunday'], from: '08:00', to: '20:00' },
      ],
    }),
  ]),
  schedule('h2', 'Weekend Coverage', 'Saturday and Sunday, 08:00 to 20:00', 'Platform', 'p1', [
    rotation('r4', 'Weekend', [['u2'], ['u3'], ['u6']], { unit: 'week', weekday: 'monday' }),
  ]),
  schedule(
    'h3',
    'Holiday Support',
    'Public holidays in Germany and Ireland',
    'Support',
    'p1',
    [rotation('r5', 'Holidays', [['u3'], ['u4']], { unit: 'week', length: 2, weekday: 'monday' })],
    { status: 'inactive', timezone: 'Europe/Dublin' },
  ),
  schedule(
    'h4',
    'Night Shift',
    '20:00 to 08:00 on working days',
    'Infrastructure',
    'p1',
    [rotation('r6', 'Twelve hours', [['u4'], ['u5']], { unit: 'hour', length: 12, handover: '08:00' })],
    { timezone: 'America/New_York' },
  ),
  schedule('h5', 'Backup Support', 'Second in line for every schedule', 'Platform', '', [
    rotation('r7', 'Backup', [['u2'], ['u6']], { unit: 'week', weekday: 'monday', handover: '09:00' }),
  ]),
];
for (let i = schedules.length; i < Number(process.env.FAKE_SCHEDULES ?? 0); i++) {
  schedules.push(
    schedule(
      `h${i + 1}`,
      `Schedule ${i + 1}`,
      `Made to see what ${i + 1} schedules look like`,
      'Platform',
      'p1',
      [rotation(`rx${i}`, 'Weekly', [['u2'], ['u3']], { unit: 'week' })],
    ),
  );
}
if (process.env.FAKE_SCHEDULES === '0') schedules = [];

let overrides = [];
const made = (id, of, kind, who, whom, from, to, reason) => ({
  id,
  schedule: { id: of, name: schedules.find((one) => one.id === of)?.name ?? '' },
  kind,
  user: kind === 'vacant' ? undefined : person(who),
  replaces_user: whom ? person(whom) : undefined,
  starts_at: iso(from),
  ends_at: iso(to),
  reason,
  created_by: person('u1'),
  created_at: iso(Date.now()),
});
if (schedules.length > 0) {
  const evening = today + 2 * day + 19 * hour;
  overrides = [
    made('o1', 'h1', 'take_over', 'u3', '', evening, evening + 12 * hour, 'Swapped for Thursday'),
    made('o2', 'h5', 'cover', 'u1', 'u2', today - 9 * day, today - 8 * day, 'Dentist'),
    made('o3', 'h5', 'vacant', '', '', today + 20 * day, today + 20 * day + 6 * hour, 'Planned power cut'),
  ];
}

const feeds = [];
const rangeOf = (query) => {
  const from = Date.parse(query.get('from') ?? '') || today;
  return [from, Date.parse(query.get('to') ?? '') || from + 14 * day];
};
const shown = (one) => ({ ...one, on_call: onCallOf(one) });

function change(id, body) {
  const old = schedules.find((one) => one.id === id);
  const fresh = {
    ...schedule(id, body.name, body.description ?? '', '', body.escalation_policy_id ?? '', []),
    timezone: body.timezone || 'UTC',
    status: body.status || 'active',
    team_id: body.team_id || undefined,
    team: teams.find((each) => each.id === body.team_id),
    rotations: (body.rotations ?? []).map((one, i) => ({
      ...one,
      id: one.id || `${id}-r${i}`,
      turns: turns(...one.turns.map((turn) => turn.user_ids ?? [])),
    })),
  };
  schedules = old ? schedules.map((one) => (one.id === id ? fresh : one)) : [...schedules, fresh];
  return ok({ schedule: shown(fresh) });
}

const addressOf = (place) => `http://127.0.0.1:8480/v1/calendar/${'k'.repeat(43)}${place}.ics`;

function feed(body) {
  const id = body.schedule_id ?? '';
  const one = {
    id: `f${feeds.length + 1}`,
    kind: id ? 'schedule' : 'user',
    schedule: schedules.find((each) => each.id === id),
    created_at: iso(Date.now()),
  };
  const at = feeds.findIndex((each) => (each.schedule?.id ?? '') === id);
  feeds.splice(at < 0 ? feeds.length : at, at < 0 ? 0 : 1, one);
  return ok({ calendar_feed: one, url: addressOf(feeds.length) });
}

function changedOverride({ id, schedule }, { kind, user_id, replaces_user_id, starts_at, ends_at, reason }) {
  return made(
    id,
    schedule.id,
    kind,
    user_id,
    replaces_user_id,
    Date.parse(starts_at),
    Date.parse(ends_at),
    reason,
  );
}

const drop = (list, id) => {
  const at = list.findIndex((one) => one.id === id);
  if (at >= 0) list.splice(at, 1);
  return ok({});
};

/** Answers the calls about schedules; undefined for any other. */
export function answerOncall(method, path, body, query) {
  const [, , kind, id, part] = path.split('/');
  if (path === '/v1/teams' && method === 'GET') return ok({ teams });
  if (kind === 'calendar-feeds') {
    if (method === 'DELETE') return drop(feeds, id);
    if (part === 'key') return ok({ url: addressOf(feeds.findIndex((one) => one.id === id) + 1) });
    return method === 'POST' ? feed(body) : ok({ calendar_feeds: feeds });
  }
  if (path === '/v1/on-call/problems') {
    const now = Date.now();
    const all = schedules.slice(0, 5).flatMap((one) => problemsOf(one, now, now + 30 * day));
    return ok({ problems: all.sort((a, b) => a.starts_at.localeCompare(b.starts_at)).slice(0, 200) });
  }
  if (path === '/v1/on-call') return ok({ on_call: schedules.map(onCallOf) });
  if (kind === 'overrides') {
    if (method === 'DELETE') return drop(overrides, id);
    const one = overrides.find((each) => each.id === id);
    if (method === 'PATCH') Object.assign(one, changedOverride(one, body));
    if (id) return ok({ override: one });
    const past = query.get('past') === 'true';
    const list = overrides.filter((one) => past || Date.parse(one.ends_at) > Date.now());
    list.sort((a, b) => a.starts_at.localeCompare(b.starts_at));
    return ok({ overrides: past ? list.reverse() : list });
  }
  if (kind !== 'schedules') return undefined;
  if (path === '/v1/schedules/preview') {
    const drawn = { ...body, id: body.schedule_id ?? '', name: '', status: 'active' };
    const [from, to] = [Date.parse(body.from), Date.parse(body.to)];
    return ok({ timeline: timelineOf(drawn, from, to), problems: problemsOf(drawn, from, to) });
  }
  if (!id)
    return method === 'POST' ? change(`h${Date.now()}`, body) : ok({ schedules: schedules.map(quick) });
  const one = schedules.find((each) => each.id === id);
  if (!one) return no(404, 'That schedule does not exist.');
  if (part === 'timeline') return ok({ timeline: timelineOf(one, ...rangeOf(query)) });
  if (part === 'overrides') {
    const { kind: how, user_id: who, replaces_user_id: whom, starts_at, ends_at, reason } = body;
    const fresh = made(
      `o${Date.now()}`,
      id,
      how,
      who,
      whom,
      Date.parse(starts_at),
      Date.parse(ends_at),
      reason,
    );
    overrides.push(fresh);
    return ok({ override: fresh });
  }
  if (method === 'DELETE') {
    const user = policies.find((policy) => JSON.stringify(policy).includes(`"${id}"`));
    if (user)
      return no(409, `The escalation policy ${user.name} pages this schedule. Take it out there first.`);
    return drop(schedules, id);
  }
  return method === 'PATCH' ? change(id, body) : ok({ schedule: shown(one) });
}

// Who is on for a thousand schedules would take this simple resolver too long.
function quick(one, i) {
  return i < 10 ? shown(one) : one;
}
