import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute, signIn } from '../../testing/render-route';
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

beforeEach(() => {
  signIn();
  server.use(http.get('*/v1/contact-methods', () => HttpResponse.json({ contact_methods: contacts })));
});

const show = () => renderRoute('/oncall/contacts', OnCallContacts);
const row = async (name: string) => (await screen.findByText(name)).closest('li') as HTMLElement;

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
      return HttpResponse.json({ verified: false });
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
  await userEvent.click(within(await row('Work mail')).getByRole('button'));
  expect(await screen.findByText('Try again tomorrow.')).toBeInTheDocument();
  await waitFor(async () => expect(within(await row('Work mail')).getByRole('button')).toBeEnabled());
});

it('leaves shared addresses to admins', async () => {
  startSession({ user: { name: 'Jonas', role: 'responder' }, accessToken: 'a', refreshToken: 'r' });
  show();
  expect(within(await row('Team mail')).queryByRole('button')).toBeNull();
  expect(within(await row('Work mail')).getByRole('button')).toBeEnabled();
});
