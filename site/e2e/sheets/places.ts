import type { Page } from '@playwright/test';
import type { Caller } from '../caller';
import { idOf, policy, schedule, service, triggered } from '../demo';
import { addService, declare } from '../made';
import { owner } from '../nightbell';
import { measure, report } from '../reported';

/** What a page shows: the demo workspace, a new organization, late answers, or a server that is away. */
export const states = ['full', 'empty', 'loading', 'error'] as const;
export type State = (typeof states)[number];

export interface Place {
  name: string;
  path?: string;
  /** Makes what a new organization has not, and gives its address; of the demo workspace too without a path. */
  made?: (caller: Caller, isNew: boolean) => Promise<string>;
  /** What is done on the page before it is looked at; `change` makes answers late or fail from then on. */
  steps?: (page: Page, state: State, change: () => Promise<void>) => Promise<void>;
  signedOut?: boolean;
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();

/** Opens a form, fills it in, and sends it where the answer is late or a refusal. */
function sends(opener: string, fields: Record<string, string>, send = opener): Place['steps'] {
  return async (page, state, change) => {
    if (opener) await press(page, opener);
    if (state === 'empty') return;
    const form = opener ? page.getByRole('dialog') : page;
    for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value);
    if (state === 'full') return;
    await change();
    await page.getByRole('button', { name: send, exact: true }).last().click();
  };
}

/** Opens what asks the server at once. */
const asks = (button: string) => async (page: Page, _state: State, change: () => Promise<void>) => {
  await change();
  await press(page, button);
};

function makes(call: string, what: string, path: string, body: (me: string) => object): Place['made'] {
  return async (caller) => {
    const answer = await caller.post<Record<string, { id: string }>>(call, body(caller.session.user.id));
    return `${path}/${answer[what]?.id}`;
  };
}
const { email: Email, password: Password } = owner;
const login = sends('Log in', { Email, Password });
const register = sends('Get Early Access', { Name: 'Ada Byron', Email, Password }, 'Create account');
const passwords = { 'Password until now': 'wrong', 'New password': 'not it at all' };
const end = { 'Type its name': 'Fernhill', 'Your password': 'not it at all' };
const question = `service=${idOf('service', 'Checkout API')}&severity=high&at=2026-11-23T02:00:00Z`;
const setPassword = sends('', { 'New password': Password }, 'Set password');

const madeService = async (caller: Caller) => `/services/${(await addService(caller)).id}`;
const hook = { name: 'Status', url: 'https://hooks.example.com/nb', event_types: ['incident.triggered'] };
const hooks = '/integrations/webhooks';
const madeWebhook = makes('/v1/webhook-subscriptions', 'webhook_subscription', hooks, () => hook);
const madePolicy = makes('/v1/escalation-policies', 'escalation_policy', '/oncall/policies', (id) => ({
  name: 'At once',
  steps: [{ delay_seconds: 300, targets: [{ kind: 'user', id }] }],
}));
const madeSchedule = makes('/v1/schedules', 'schedule', '/oncall/schedules', (id) => ({
  name: 'Weeks',
  rotations: [{ name: 'Weeks', unit: 'week', length: 1, handover: '08:00', turns: [{ user_ids: [id] }] }],
}));
const madeMail = async (caller: Caller, isNew: boolean) =>
  isNew ? '/inbox' : declare(caller).then(() => '/inbox');

const plain =
  '/dashboard /incidents /oncall /oncall/contacts /oncall/policies /oncall/policies/new /oncall/teams ' +
  '/oncall/maintenance /oncall/schedules/new /services /integrations /integrations/webhooks /users ' +
  '/analytics /settings /settings/sessions /settings/organization /settings/api-keys /settings/audit';

/** Every route but the documentation and the legal texts, and the dialogs of what cannot be taken back. */
export const places: readonly Place[] = [
  ...plain.split(' ').map((path) => ({ name: path.slice(1).replaceAll('/', '-'), path })),
  { name: 'landing', path: '/', signedOut: true },
  { name: 'login', path: '/', signedOut: true, steps: login },
  { name: 'register', path: '/', signedOut: true, steps: register },
  { name: 'invitation', path: '/invitation#nbi_nothing', signedOut: true, made: async () => '/invitation' },
  { name: 'reset-password', path: '/reset-password#nbr_0', signedOut: true, steps: setPassword },
  { name: 'incident', path: triggered, made: async (caller) => (await declare(caller)).path },
  { name: 'incident-reported', made: report },
  { name: 'oncall-rotations', path: '/oncall?view=rotations&range=month' },
  { name: 'oncall-overrides', path: '/oncall?view=overrides&range=fortnight' },
  { name: 'oncall-policy', path: policy('Platform, critical'), made: madePolicy },
  { name: 'oncall-schedule', path: schedule('24/7 Support'), made: madeSchedule },
  { name: 'oncall-explain', path: `/oncall/explain?${question}`, made: async () => '/oncall/explain' },
  { name: 'inbox', made: madeMail },
  { name: 'service', path: service('Checkout API'), made: madeService },
  { name: 'service-measured', made: measure },
  { name: 'integration-webhook', made: madeWebhook },
  { name: 'delete-account', path: '/settings', steps: asks('Delete account') },
  { name: 'export', path: '/settings', steps: asks('Download') },
  { name: 'delete-organization', path: '/settings/organization', steps: sends('Delete organization', end) },
  { name: 'change-password', path: '/settings/sessions', steps: sends('Change password', passwords) },
];
