import type {
  CreateContactMethodResponseJson,
  CreateNotificationRuleResponseJson,
  DeleteNotificationRuleResponseJson,
  ListContactMethodsResponseJson,
  ListNotificationRulesResponseJson,
  SendVerificationResponseJson,
} from '@nightbell/proto';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import OnCallContacts from './on-call-contacts';

const contacts = [
  { id: 'c1', kind: 'email', name: 'Work mail', hint: 'm@x', verified: false },
  { id: 'c2', kind: 'email', name: 'Team mail', hint: 't@x', verified: false, shared: true },
  {
    id: 'c3',
    kind: 'webhook',
    name: 'Bot',
    verified: true,
    failing_reason: 'It answered 503.',
    failing_since_at: new Date(Date.now() - 600_000).toISOString(),
  },
  { id: 'c4', kind: 'email', name: 'Home', verified: true },
];

const rules = [
  { id: 'r1', contact_method_id: 'c1', urgency: 'high', etag: '7' },
  { id: 'r2', contact_method_id: 'c3', urgency: 'high', delay_seconds: 300 },
];

beforeEach(() => {
  signIn();
  server.use(
    http.get('*/v1/contact-methods', () =>
      reply<ListContactMethodsResponseJson>({ contact_methods: contacts }),
    ),
    http.get('*/v1/notification-rules', () =>
      reply<ListNotificationRulesResponseJson>({ notification_rules: rules }),
    ),
  );
});

const show = () => renderRoute('/oncall/contacts', OnCallContacts);
const row = async (name: string) =>
  (await screen.findByText(name, { selector: 'p' })).closest('li') as HTMLElement;

it('says what is not paged and why, and what fails since when', async () => {
  show();
  expect(await row('Work mail')).toHaveTextContent('Not verified yet, so it is not paged.');
  expect(await row('Bot')).toHaveTextContent(/Failing since .+: It answered 503\./);
  expect(await row('Home')).not.toHaveTextContent(/Not verified|Failing/);
});

it('sends the link again, once', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post('*/v1/contact-methods/:id/verification', ({ params }) => {
      sent.push(params.id);
      return reply<SendVerificationResponseJson>({ verified: false });
    }),
  );
  show();
  const button = within(await row('Work mail')).getByRole('button', {
    name: 'Send the link to Work mail again',
  });
  await userEvent.click(button);
  expect(await screen.findByText('The link is on its way. It works for seven days.')).toBeInTheDocument();
  expect(button).toBeDisabled();
  expect(sent).toEqual(['c1']);
});

it('shows why the link could not be sent', async () => {
  server.use(
    http.post('*/v1/contact-methods/:id/verification', () =>
      HttpResponse.json({ message: 'Try again tomorrow.' }, { status: 429 }),
    ),
  );
  show();
  const again = async () => within(await row('Work mail')).getByRole('button', { name: /^Send the link/ });
  await userEvent.click(await again());
  expect(await screen.findByText('Try again tomorrow.')).toBeInTheDocument();
  await waitFor(async () => expect(await again()).toBeEnabled());
});

it('leaves shared addresses to admins', async () => {
  startSession({ user: { name: 'Jonas', role: 'responder' }, accessToken: 'a', refreshToken: 'r' });
  show();
  expect(within(await row('Team mail')).queryByRole('button')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Add shared channel' })).toBeNull();
  expect(within(await row('Work mail')).getByRole('button', { name: /^Send the link/ })).toBeEnabled();
  expect(screen.getByRole('button', { name: 'Add contact method' })).toBeEnabled();
});

it('says which method no rule names, and when the others are used', async () => {
  show();
  await waitFor(async () =>
    expect(await row('Home')).toHaveTextContent('No rule names it, so it is not paged.'),
  );
  const urgent = screen.getByRole('region', { name: 'Critical, high and medium severity' });
  expect(
    within(urgent)
      .getAllByRole('listitem')
      .map((one) => one.textContent),
  ).toEqual(['At once Work mailm@x', 'After 5 min Bot']);
  expect(screen.getByRole('region', { name: 'Low severity' })).toHaveTextContent(
    'No rule for these: the other rules count for them too.',
  );
});

it('adds a webhook and shows its secret this once', async () => {
  const bodies: unknown[] = [];
  server.use(
    http.post('*/v1/contact-methods', async ({ request }) => {
      bodies.push(await request.json());
      return reply<CreateContactMethodResponseJson>({
        contact_method: { id: 'c9', verified: true },
        signing_secret: 'whsec_x',
      });
    }),
  );
  show();
  await userEvent.click(await screen.findByRole('button', { name: 'Add contact method' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Add contact method' }));
  await userEvent.selectOptions(dialog.getByLabelText('Kind'), 'Webhook');
  await userEvent.type(dialog.getByLabelText('Name'), ' Pager ');
  await userEvent.type(dialog.getByLabelText('URL'), 'https://example.com/p');
  await userEvent.click(dialog.getByRole('button', { name: 'Add contact method' }));
  expect(await screen.findByText('whsec_x')).toBeInTheDocument();
  expect(bodies).toEqual([{ kind: 'webhook', name: 'Pager', address: 'https://example.com/p' }]);
  await userEvent.click(screen.getByRole('button', { name: 'I have stored it' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('keeps what was entered when it is refused, and says why', async () => {
  server.use(
    http.post('*/v1/contact-methods', () =>
      HttpResponse.json(
        { message: 'Enter an e-mail address, for example ada@example.com.' },
        { status: 422 },
      ),
    ),
  );
  show();
  await userEvent.click(await screen.findByRole('button', { name: 'Add shared channel' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Add shared channel' }));
  await userEvent.type(dialog.getByLabelText('Name'), 'Ops');
  await userEvent.type(dialog.getByLabelText('E-mail address'), 'ops@x');
  await userEvent.click(dialog.getByRole('button', { name: 'Add shared channel' }));
  expect(await dialog.findByText(/^Enter an e-mail address/)).toBeInTheDocument();
  expect(dialog.getByLabelText('Name')).toHaveValue('Ops');
});

it('deletes a method after a question, with the refusal in the dialog', async () => {
  server.use(
    http.delete('*/v1/contact-methods/c2', () =>
      HttpResponse.json({ message: 'The policy "Nights" pages it.' }, { status: 409 }),
    ),
  );
  show();
  await userEvent.click(within(await row('Team mail')).getByRole('button', { name: 'Delete Team mail' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Delete shared channel' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Delete Team mail' }));
  expect(await dialog.findByText('The policy "Nights" pages it.')).toBeInTheDocument();
});

it('adds a rule and deletes one in the version that was read', async () => {
  const asked: unknown[] = [];
  server.use(
    http.post('*/v1/notification-rules', async ({ request }) => {
      asked.push(await request.json());
      return reply<CreateNotificationRuleResponseJson>({});
    }),
    http.delete('*/v1/notification-rules/:id', ({ params, request }) => {
      asked.push([params.id, request.headers.get('If-Match')]);
      return reply<DeleteNotificationRuleResponseJson>({});
    }),
  );
  show();
  await userEvent.click(await screen.findByRole('button', { name: 'Add rule' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Add rule' }));
  await userEvent.selectOptions(dialog.getByLabelText('Tell me by'), 'Home');
  await userEvent.selectOptions(dialog.getByLabelText('When'), 'After 10 min');
  await userEvent.click(dialog.getByRole('button', { name: 'Add rule' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await userEvent.click(screen.getByRole('button', { name: 'Delete the rule: At once Work mail' }));
  await waitFor(() =>
    expect(asked).toEqual([{ contact_method_id: 'c4', urgency: 'high', delay_seconds: 600 }, ['r1', '"7"']]),
  );
});

it('leads to where a test page is sent', async () => {
  show();
  expect(await screen.findByRole('link', { name: 'Send yourself a test page' })).toHaveAttribute(
    'href',
    '/settings#contacts',
  );
});

it('the second tap deletes no rule that moved up', async () => {
  const gone: unknown[] = [];
  server.use(
    http.get('*/v1/notification-rules', () =>
      reply<ListNotificationRulesResponseJson>({
        notification_rules: rules.filter(({ id }) => !gone.includes(id)),
      }),
    ),
    http.delete('*/v1/notification-rules/:id', ({ params }) => {
      gone.push(params.id);
      return reply<DeleteNotificationRuleResponseJson>({});
    }),
  );
  show();
  const second = await screen.findByRole('button', { name: /rule: After 5 min Bot/ });
  const first = screen.getByRole('button', { name: /rule: At once Work mail/ });
  const tap = (button: HTMLElement) => fireEvent.click(button, { detail: 1 });
  // In the moment in which it moves up, however busy the machine is.
  const moved = new Promise<void>((done) => {
    const observer = new MutationObserver(() => {
      if (first.isConnected) return;
      observer.disconnect();
      tap(second);
      done();
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
  tap(first);
  await moved;
  expect(gone).toEqual(['r1']);
  await new Promise((seen) => setTimeout(seen, 350));
  tap(second);
  await waitFor(() => expect(gone).toEqual(['r1', 'r2']));
});
