import type { RegisterResponseJson } from '@nightbell/proto';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { RegisterDialog } from './register-dialog';

const onClose = vi.fn();
const onRegistered = vi.fn();
const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onRegistered.mockClear();
  render(
    <MemoryRouter>
      <RegisterDialog onRegistered={onRegistered} onClose={onClose} />
    </MemoryRouter>,
  );
});
afterEach(() => vi.useRealTimers());

async function fill(): Promise<void> {
  await user.type(screen.getByLabelText('Name'), 'Mara Lindqvist');
  await user.type(screen.getByLabelText('Email'), 'mara@example.com');
  await user.type(screen.getByLabelText('Password'), 'a long enough secret');
}

const submit = () => user.click(screen.getByRole('button', { name: 'Create account' }));

// React starts the clock in an effect, which may run a moment after the text appears.
const effects = () => act(() => new Promise<void>((done) => setImmediate(done)));

it('offers 13 zones and starts with UTC', () => {
  const zones = screen.getByLabelText<HTMLSelectElement>('Timezone');
  expect(zones.options).toHaveLength(13);
  expect(zones).toHaveValue('UTC');
});

it('registers a person, says so, and closes after two seconds', async () => {
  let sent: unknown;
  server.use(
    http.post('*/v1/auth/register', async ({ request }) => {
      sent = await request.json();
      await delay(50);
      return reply<RegisterResponseJson>({ user: {} });
    }),
  );
  await fill();
  await user.type(screen.getByLabelText('Phone optional'), '  ');
  await submit();
  expect(screen.getByRole('button', { name: 'registering...' })).toBeDisabled();
  expect(await screen.findByText('Account created! Welcome to Nightbell.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'registered!' })).toBeDisabled();
  expect(sent).toEqual({
    email: 'mara@example.com',
    password: 'a long enough secret',
    name: 'Mara Lindqvist',
    timezone: 'UTC',
    user_type: 'individual',
  });
  await effects();
  act(() => vi.advanceTimersByTime(1900));
  expect(onRegistered).not.toHaveBeenCalled();
  act(() => vi.advanceTimersByTime(200));
  expect(onRegistered).toHaveBeenCalledExactlyOnceWith('mara@example.com');
});

it('asks an organization for its name and sends it', async () => {
  let sent: Record<string, unknown> = {};
  server.use(
    http.post('*/v1/auth/register', async ({ request }) => {
      sent = (await request.json()) as Record<string, unknown>;
      return reply<RegisterResponseJson>({});
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Organization' }));
  await user.type(screen.getByLabelText('Organization name'), 'Tidewater');
  await user.type(screen.getByLabelText('Phone optional'), ' +49 30 1 ');
  await fill();
  await submit();
  await screen.findByText('Account created! Welcome to Nightbell.');
  expect(sent).toMatchObject({ user_type: 'organization', org_name: 'Tidewater', phone: '+49 30 1' });
});

it.each([
  [
    'the server says why',
    () => HttpResponse.json({ message: 'That address is taken.' }, { status: 409 }),
    'That address is taken.',
  ],
  ['it does not', () => new HttpResponse(null, { status: 500 }), 'Registration failed. Please try again.'],
  [
    'nothing answers',
    () => HttpResponse.error(),
    'Network error. Please check your connection and try again.',
  ],
])('shows a banner when %s', async (_case, answer, message) => {
  server.use(http.post('*/v1/auth/register', answer));
  await fill();
  await submit();
  expect(await screen.findByRole('alert')).toHaveTextContent(message);
  expect(screen.getByRole('button', { name: 'Create account' })).toBeEnabled();
});
