import { act, render, screen } from '@testing-library/react';
import { createRoutesStub } from 'react-router';
import { expect, it, vi } from 'vitest';
import { endSession, startSession } from '~/lib/session-change';
import { takeToasts, toast, toastsAt } from '~/lib/toast';
import SignedIn from './signed-in';

// What it shows besides is not asked here.
vi.mock('~/components/layout/app-frame', () => ({ AppFrame: () => <p>The workspace</p> }));
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call: () => new Promise(() => {}) }));
vi.mock('~/lib/stream', () => ({ readStream: () => new Promise(() => {}) }));

const mara = { user: { id: 'u1', org_id: 'o1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };
const jonas = { ...mara, user: { ...mara.user, id: 'u2', name: 'Jonas' } };

const Elsewhere = () => <p>Elsewhere</p>;

it('shows nobody what was said after the one before had left', async () => {
  const place = {};
  startSession(mara);
  const Stub = createRoutesStub([
    { path: '/work', Component: SignedIn },
    { path: '*', Component: Elsewhere },
  ]);
  const show = () => render(<Stub initialEntries={['/work']} />);
  const { unmount } = show();
  await screen.findByText('The workspace');
  await act(async () => endSession('signed-out'));
  unmount();
  const leave = takeToasts(place);
  toast({ kind: 'failure', title: 'The export of Mara failed' });
  startSession(jonas);
  show();
  await screen.findByText('The workspace');
  expect(toastsAt(place)).toEqual([]);
  leave();
});
