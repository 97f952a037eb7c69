import type {
  ForgotPasswordResponseJson,
  GetSignInOptionsResponseJson,
  LoginResponseJson,
} from '@nightbell/proto';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { currentSession } from '~/lib/session';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { LoginDialog } from './login-dialog';

const onSignedIn = vi.fn();
const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onSignedIn.mockClear();
  render(<LoginDialog onSignedIn={onSignedIn} onClose={() => undefined} />);
});
afterEach(() => vi.useRealTimers());

async function submit(): Promise<void> {
  await user.type(screen.getByLabelText('Email'), 'mara@example.com');
  await user.type(screen.getByLabelText('Password'), 'secret');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
}

// React starts the clock in an effect, which may run a moment after the text appears.
const effects = () => act(() => new Promise<void>((done) => setImmediate(done)));

it('signs in, stores the session, and goes on after 1.5 seconds', async () => {
  server.use(
    http.post('*/v1/auth/login', async () => {
      await delay(50);
      return reply<LoginResponseJson>({
        user: { name: 'Mara' },
        tokens: { access_token: 'a', refresh_token: 'r' },
      });
    }),
  );
  await submit();
  expect(screen.getByRole('button', { name: 'authenticating...' })).toBeDisabled();
  expect(await screen.findByRole('button', { name: 'redirecting...' })).toBeDisabled();
  expect(currentSession()).toEqual({ user: { name: 'Mara' }, accessToken: 'a', refreshToken: 'r' });
  await effects();
  act(() => vi.advanceTimersByTime(1400));
  expect(onSignedIn).not.toHaveBeenCalled();
  act(() => vi.advanceTimersByTime(200));
  expect(onSignedIn).toHaveBeenCalledOnce();
});

it.each([
  [
    'the server says why',
    () => HttpResponse.json({ message: 'Wrong password.' }, { status: 401 }),
    'Wrong password.',
  ],
  [
    'it does not',
    () => new HttpResponse(null, { status: 401 }),
    'Login failed. Please check your credentials.',
  ],
  [
    'the answer has no tokens',
    () => reply<LoginResponseJson>({ user: { name: 'x' } }),
    'Login failed. Please check your credentials.',
  ],
  [
    'nothing answers',
    () => HttpResponse.error(),
    'Network error. Please check your connection and try again.',
  ],
])('shows a banner when %s', async (_case, answer, message) => {
  server.use(http.post('*/v1/auth/login', answer));
  await submit();
  expect(await screen.findByRole('alert')).toHaveTextContent(message);
  expect(currentSession()).toBeNull();
});

it('sends whoever forgot the password to support', async () => {
  const alert = vi.spyOn(window, 'alert').mockImplementation(() => undefined);
  server.use(
    http.get('*/v1/auth/options', () =>
      reply<GetSignInOptionsResponseJson>({ forgotten_password: 'support' }),
    ),
  );
  await user.click(screen.getByRole('button', { name: 'Forgot password?' }));
  await waitFor(() => expect(alert).toHaveBeenCalledWith(expect.stringContaining('contact support')));
});

it('asks for a link where mail leaves the installation', async () => {
  const asked: unknown[] = [];
  server.use(
    http.get('*/v1/auth/options', () => reply<GetSignInOptionsResponseJson>({ forgotten_password: 'mail' })),
    http.post('*/v1/auth/forgot-password', async ({ request }) => {
      asked.push(await request.json());
      return reply<ForgotPasswordResponseJson>({ message: 'A mail is on its way.' });
    }),
  );
  await user.type(screen.getByLabelText('Email'), 'mara@acme.example');
  await user.click(screen.getByRole('button', { name: 'Forgot password?' }));
  expect(await screen.findByLabelText('Email')).toHaveValue('mara@acme.example');
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByText('A mail is on its way.')).toBeVisible();
  expect(asked).toEqual([{ email: 'mara@acme.example' }]);
});
