import type { Call } from './openapi';
import type { Sent, Value } from './programs';

// What each call is sent as an example. api/e2e/docs_calls_test.go sends every one of them.

const weekly: Value = {
  name: 'Weeks',
  unit: 'week',
  length: 1,
  handover: '09:00',
  weekday: 'monday',
  turns: [{ user_ids: ['$USER_ID'] }],
};
const steps: Value = [{ delay_seconds: 300, targets: [{ kind: 'schedule', id: '$SCHEDULE_ID' }] }];
const subscription: Value = { name: 'Tickets', url: '$WEBHOOK_URL', event_types: ['incident.triggered'] };
const orders: Value = { title: 'Orders stopped', severity: 'critical', dedup_key: 'orders-stopped' };
const ping: Value = { status: 'ok', every_seconds: 86400, grace_seconds: 3600 };
const firing: Value = {
  version: '4',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'HighLatency', severity: 'warning' },
      annotations: { summary: 'Checkout is slow' },
    },
  ],
};

/** By the id of the call. A call that takes a body and is missing here stops the build. */
const bodies: Record<string, Value | undefined> = {
  account_erase: { password: '$PASSWORD' },
  api_keys_create: { name: 'Terraform', role: 'admin', scopes: ['config:read', 'config:write'] },
  api_keys_update: { name: 'Terraform, production' },
  auth_accept_invitation: { token: '$INVITATION_TOKEN', name: 'Ada', password: '$PASSWORD' },
  auth_forgot_password: { email: '$EMAIL' },
  auth_invitation_read: { token: '$INVITATION_TOKEN' },
  auth_login: { email: '$EMAIL', password: '$PASSWORD' },
  auth_logout: { refresh_token: '$REFRESH_TOKEN' },
  auth_password_change: { old_password: '$PASSWORD', new_password: '$NEW_PASSWORD' },
  auth_refresh: { refresh_token: '$REFRESH_TOKEN' },
  auth_register: {
    user_type: 'organization',
    name: 'Ada',
    email: '$EMAIL',
    password: '$PASSWORD',
    org_name: 'Acme',
    timezone: 'Europe/Berlin',
  },
  auth_reset_password: { token: '$RESET_TOKEN', password: '$NEW_PASSWORD' },
  auth_switch_organization: { org_id: '$ORGANIZATION_ID' },
  calendar_feeds_rotate: { schedule_id: '$SCHEDULE_ID' },
  changes_send: { summary: 'Release 2026.11.3', kind: 'deployment', version: '2026.11.3', author: 'Ada' },
  contact_methods_create: {
    kind: 'email',
    name: 'Team mailbox',
    address: 'oncall@example.com',
    shared: true,
  },
  contact_methods_update: { name: 'Mailbox of the night shift' },
  enquiries_submit: { kind: 'sales', email: 'ada@example.com', message: 'We are forty people.' },
  escalation_policies_create: { name: 'Checkout at night', steps },
  escalation_policies_update: { description: 'Who has the week, then everybody.' },
  events_send: orders,
  events_batch_send: { events: [orders, { action: 'resolve', dedup_key: 'queue-full' }] },
  heartbeats_create: { name: 'nightly-backup', service_id: '$SERVICE_ID', every_seconds: 86400 },
  heartbeats_update: { grace_seconds: 3600 },
  heartbeats_ping_post: ping,
  heartbeats_ping_post_with_key: ping,
  incidents_create: { title: 'Orders stopped', severity: 'critical', service_id: '$SERVICE_ID' },
  incidents_bulk_change: { action: 'acknowledge', ids: ['$INCIDENT_ID'], message: 'On it' },
  incidents_acknowledge: { message: 'On it' },
  incidents_assign: { assignee_id: '$USER_ID' },
  incidents_comments_add: { message: 'Restarted the payment workers.' },
  incidents_links_add: { linked_id: '$LINKED_ID' },
  incidents_merge: { into_id: '$INTO_ID' },
  incidents_subscribers_add: { user_id: '$USER_ID' },
  incidents_resolve: { message: 'Rolled back 2026.11.3' },
  incidents_severity_change: { severity: 'low' },
  incidents_snooze: { duration_seconds: 3600 },
  integrations_slack_configure: {
    bot_token: '$SLACK_BOT_TOKEN',
    channel: '#incidents',
    webhook_url: '$SLACK_WEBHOOK_URL',
  },
  integrations_slack_test: { channel: '#incidents', message: 'A test message' },
  invitations_create: { email: '$EMAIL', role: 'responder', send: 'link' },
  maintenance_windows_create: {
    description: 'Database upgrade',
    starts_at: '$STARTS_AT',
    ends_at: '$ENDS_AT',
    service_ids: ['$SERVICE_ID'],
  },
  maintenance_windows_update: { description: 'Database upgrade, second try' },
  notification_rules_create: { contact_method_id: '$CONTACT_METHOD_ID', urgency: 'high', delay_seconds: 300 },
  notification_rules_update: { delay_seconds: 60 },
  organizations_erase: { name: '$ORGANIZATION_NAME', password: '$PASSWORD' },
  organizations_update: { name: 'Acme Stores' },
  overrides_update: { reason: 'Parental leave' },
  samples_send: { name: 'latency', unit: 'ms', points: [{ at: '$AT', value: 12.5 }] },
  schedules_create: { name: 'Checkout', timezone: 'Europe/Berlin', rotations: [weekly] },
  schedules_preview: { timezone: 'Europe/Berlin', rotations: [weekly] },
  schedules_update: { description: 'Handed over on Mondays.' },
  schedules_overrides_create: {
    kind: 'take_over',
    user_id: '$USER_ID',
    starts_at: '$STARTS_AT',
    ends_at: '$ENDS_AT',
  },
  services_create: { name: 'Checkout API', description: 'Takes orders.' },
  services_update: { description: 'Takes orders and payments.' },
  teams_create: { name: 'Payments', user_ids: ['$USER_ID'] },
  teams_update: { description: 'Whatever has to do with money.' },
  test_pages_send: { contact_method_id: '$CONTACT_METHOD_ID' },
  users_update: { timezone: 'Europe/Berlin' },
  webhook_subscriptions_create: subscription,
  webhook_subscriptions_update: { name: 'Tickets of the shop' },
  webhook_subscriptions_replay: { since: '$STARTS_AT' },
  webhooks_prometheus_send: firing,
  webhooks_prometheus_put: firing,
};

/** What is asked for beside the path. */
const queries: Record<string, string> = {
  heartbeats_ping_get: '?every_seconds=86400&grace_seconds=3600',
  heartbeats_ping_get_with_key: '?every_seconds=86400&grace_seconds=3600',
  heartbeats_ping_head: '?every_seconds=86400&grace_seconds=3600',
  heartbeats_ping_head_with_key: '?every_seconds=86400&grace_seconds=3600',
  explain: '?service_id=$SERVICE_ID&severity=critical',
  incidents_list: '?status=triggered&limit=25',
  incidents_metrics_get: '?days=28',
};

/** Parts of paths that no id of an object fills. */
const parts: Record<string, string> = {
  file: '$CALENDAR_FILE',
  name: 'nightly-backup',
  service_key: '$NIGHTBELL_SERVICE_KEY',
};

/** The request that shows a call. */
export function sample(call: Call): Sent {
  const body = bodies[call.id];
  if (call.body?.properties && Object.keys(call.body.properties).length > 0 && body === undefined)
    throw new Error(`${call.id} takes a body, and docs-mdx/binder/generated/samples.ts has none of it`);
  const path = call.path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => parts[name] ?? `$${idOf(call.path, name)}`,
  );
  return {
    method: call.method.toUpperCase(),
    path: `${path}${queries[call.id] ?? ''}`,
    key: keyOf(call),
    body,
    endless: call.id === 'stream_follow',
  };
}

/** The variable of an id: what the path names before it, in the singular. */
function idOf(path: string, name: string): string {
  if (name !== 'id') return name.toUpperCase();
  const list = /([\w-]+)\/\{id\}/.exec(path)?.[1] ?? '';
  const one = list.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', '_').toUpperCase();
  return one === 'INBOX' ? 'MAIL_ID' : `${one}_ID`;
}

function keyOf({ security }: Call): string | undefined {
  const kinds = security.flatMap((one) => Object.keys(one));
  if (kinds.includes('service_key')) return 'NIGHTBELL_SERVICE_KEY';
  if (kinds.includes('api_key')) return 'NIGHTBELL_API_KEY';
  return kinds.length > 0 ? 'NIGHTBELL_ACCESS_TOKEN' : undefined;
}
