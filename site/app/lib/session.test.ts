import { expect, it } from 'vitest';
import { currentSession, lastSessionEnd } from './session';
import { endSession, startSession } from './session-change';

const session = { user: { name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };

it('keeps user and tokens each under its own key', () => {
  startSession(session);
  expect({ ...localStorage }).toEqual({ user: '{"name":"Mara"}', access_token: 'a', refresh_token: 'r' });
  expect(currentSession()).toEqual(session);
});

it('is the same object until storage changes, so that nothing is drawn for nothing', () => {
  startSession(session);
  expect(currentSession()).toBe(currentSession());
});

it.each(['user', 'access_token'])('is no session without %s', (key) => {
  startSession(session);
  localStorage.removeItem(key);
  expect(currentSession()).toBeNull();
});

it('is no session with a broken user', () => {
  startSession(session);
  localStorage.setItem('user', '{');
  expect(currentSession()).toBeNull();
});

it('forgets everything at the end', () => {
  startSession(session);
  endSession('signed-out');
  expect(localStorage).toHaveLength(0);
});

const halfWritten = () => sessionStorage.getItem('half-written');

it.each([
  ['signed-out', null],
  ['account-deleted', null],
  ['organization-deleted', null],
  ['expired', 'text'],
] as const)('leaves of what was half written, with no page that shows it, when it is %s: %s', (end, left) => {
  startSession(session);
  sessionStorage.setItem('half-written', 'text');
  endSession(end);
  expect(halfWritten()).toBe(left);
});

it('forgets why it ended once there is one again, as after a sign-in in another tab', () => {
  startSession(session);
  endSession('signed-out');
  expect(currentSession()).toBeNull();
  expect(lastSessionEnd()).toBe('signed-out');
  localStorage.setItem('user', JSON.stringify(session.user));
  localStorage.setItem('access_token', 'b');
  expect(currentSession()).not.toBeNull();
  localStorage.clear();
  expect(currentSession()).toBeNull();
  expect(lastSessionEnd()).toBeNull();
});
