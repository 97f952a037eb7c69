import type { EnterDemoResponseJson, RegisterResponseJson } from '@nightbell/proto';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { createRoutesStub } from 'react-router';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { currentSession } from '~/lib/session';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Landing from './landing';

const Incident = () => <p>The incident</p>;
const Dashboard = () => <p>The dashboard</p>;

it('returns to its page when another tab has signed in', async () => {
  const Stub = createRoutesStub([
    { path: '/', Component: Landing },
    { path: '/incidents/:id', Component: Incident },
  ]);
  const state = { from: '/incidents/i1', reason: 'Authentication expired. Please log in again.' };
  render(<Stub initialEntries={[{ pathname: '/', state }]} />);
  expect(await screen.findByText(state.reason)).toBeInTheDocument();
  act(signIn);
  expect(await screen.findByText('The incident')).toBeInTheDocument();
});

it('opens the login form with the address of the account that was made', async () => {
  server.use(http.post('*/v1/auth/register', () => reply<RegisterResponseJson>({ user: {} })));
  renderRoute('/', Landing);
  await userEvent.click(screen.getAllByRole('button', { name: 'Get Early Access' })[0] as HTMLElement);
  const dialog = within(await screen.findByRole('dialog', { name: 'Create your account' }));
  await userEvent.type(dialog.getByLabelText('Name'), 'Mara Lindqvist');
  await userEvent.type(dialog.getByLabelText('Email'), 'mara@example.com');
  await userEvent.type(dialog.getByLabelText('Password'), 'a long enough secret');
  await userEvent.click(dialog.getByRole('button', { name: 'Create account' }));
  await waitFor(() => expect(screen.getByRole('dialog', { name: 'Log in' })).toBeVisible(), {
    timeout: 4000,
  });
  expect(screen.queryByRole('dialog', { name: 'Create your account' })).toBeNull();
  const login = within(screen.getByRole('dialog', { name: 'Log in' }));
  expect(login.getByLabelText('Email')).toHaveValue('mara@example.com');
  expect(login.getByText(/Log in with your new account/)).toBeVisible();
});

it('asks nobody for a password who is signed in and pressed Log in before the page could react', async () => {
  signIn();
  window.earlyClick = 'login';
  const Stub = createRoutesStub([
    { path: '/', Component: Landing },
    { path: '/dashboard', Component: Dashboard },
  ]);
  render(<Stub />);
  expect(await screen.findByText('The dashboard')).toBeInTheDocument();
});

describe('See a demo', () => {
  const Stub = createRoutesStub([
    { path: '/', Component: Landing },
    { path: '/dashboard', Component: Dashboard },
  ]);
  const guest = {
    tokens: { access_token: 'guest', refresh_token: 'r' },
    user: { id: 'g', name: 'Guest' },
  } satisfies EnterDemoResponseJson;
  const asked = vi.fn();
  const answer = (wait?: Promise<void>) =>
    server.use(
      http.post('*/v1/auth/demo', async () => {
        asked();
        await wait;
        return reply<EnterDemoResponseJson>(guest);
      }),
    );
  const press = () => userEvent.click(screen.getByRole('link', { name: 'See a demo' }));
  afterEach(() => asked.mockClear());

  it('leads whoever is signed in to the own workspace', async () => {
    signIn();
    const before = currentSession();
    answer();
    render(<Stub />);
    await press();
    expect(await screen.findByText('The dashboard')).toBeInTheDocument();
    expect(asked).not.toHaveBeenCalled();
    expect(currentSession()).toBe(before);
  });

  it('signs in once for two presses, and in place of nobody who signed in meanwhile', async () => {
    let come = () => {};
    answer(
      new Promise((resolve) => {
        come = resolve;
      }),
    );
    render(<Stub />);
    await press();
    await press();
    await waitFor(() => expect(asked).toHaveBeenCalled());
    act(signIn);
    const before = currentSession();
    come();
    expect(await screen.findByText('The dashboard')).toBeInTheDocument();
    expect(asked).toHaveBeenCalledOnce();
    expect(currentSession()).toBe(before);
  });
});
