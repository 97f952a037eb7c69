import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import { announceSession } from '~/lib/session';
import { endSession, startSession } from '~/lib/session-change';
import { dismissToasts, takeToasts, toastsAt } from '~/lib/toast';
import { CommentBox } from './comment-box';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

const mara = { user: { id: 'u1', org_id: 'o1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };
const elsewhere = { ...mara, user: { ...mara.user, org_id: 'o2' } };
const jonas = { ...mara, user: { ...mara.user, id: 'u2', name: 'Jonas' } };

beforeEach(() => {
  sessionStorage.clear();
  startSession(mara);
});
afterEach(() => {
  call.mockReset();
  dismissToasts();
});

/** Here only what browsers tell other tabs: what changed in the storage that all share. */
function inAnotherTab(happens: () => void) {
  const here = sessionStorage.getItem('half-written') ?? '';
  const told: StorageEvent[] = [];
  const note = (key: string, newValue: string | null) =>
    told.push(new StorageEvent('storage', { key, newValue }));
  const { setItem, removeItem } = Storage.prototype;
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(function (this: Storage, key, value) {
    if (this === localStorage) note(key, value);
    setItem.call(this, key, value);
  });
  vi.spyOn(Storage.prototype, 'removeItem').mockImplementation(function (this: Storage, key) {
    if (this === localStorage) note(key, null);
    removeItem.call(this, key);
  });
  happens();
  vi.restoreAllMocks();
  sessionStorage.setItem('half-written', here);
  announceSession(null);
  for (const event of told) window.dispatchEvent(event);
}

function look() {
  const client = createQueryClient();
  const { rerender } = render(<div />);
  const box = () => screen.getByLabelText('Add a comment') as HTMLTextAreaElement;
  return {
    at: (id: string) =>
      rerender(
        <QueryClientProvider client={client}>
          <CommentBox key={id} id={id} />
        </QueryClientProvider>,
      ),
    box,
    type: (value: string) => fireEvent.change(box(), { target: { value } }),
    post: () => act(async () => void fireEvent.click(screen.getByText('Post'))),
  };
}

it('keeps what is half written while somebody looks at another incident', () => {
  const { at, box, type } = look();
  at('a');
  type('The disk is full on');
  at('b');
  expect(box().value).toBe('');
  type('Another');
  at('a');
  expect(box().value).toBe('The disk is full on');
});

it('keeps nothing that was posted, also when the answer comes after the page was left', async () => {
  let answer = (_: object) => {};
  call.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  const { at, box, type, post } = look();
  at('a');
  type('Done');
  await post();
  at('b');
  await act(async () => answer({}));
  at('a');
  expect(box().value).toBe('');
});

it('keeps what could not be posted', async () => {
  call.mockRejectedValue(new Error('Failed to post comment'));
  const { at, box, type, post } = look();
  at('a');
  type('Done');
  await post();
  expect(box().value).toBe('Done');
  at('b');
  at('a');
  expect(box().value).toBe('Done');
});

it.each([
  ['is there after a reload', () => undefined, 'The disk'],
  ['is there when a session ended and the same person signs in', () => endSession('expired'), 'The disk'],
  ['is gone after a logout', () => endSession('signed-out'), ''],
  ['is gone with the account', () => endSession('account-deleted'), ''],
  ['is gone with the organization', () => endSession('organization-deleted'), ''],
  ['is gone after a logout in another tab', () => inAnotherTab(() => endSession('signed-out')), ''],
  [
    'is there when another tab sees a session end',
    () => inAnotherTab(() => endSession('expired')),
    'The disk',
  ],
  ['is there after a look at another organization', () => startSession(elsewhere), 'The disk'],
  [
    'is there when another tab looks at another organization',
    () => inAnotherTab(() => startSession(elsewhere)),
    'The disk',
  ],
  ['is gone once somebody else was signed in', () => startSession(jonas), ''],
])('what is half written %s', (_, happens, left) => {
  const before = look();
  before.at('a');
  before.type('The disk');
  cleanup(); // and with it the cache of answers
  happens();
  startSession(mara);
  const after = look();
  after.at('a');
  expect(after.box().value).toBe(left);
});

it('shows nobody what somebody else has half written', () => {
  const before = look();
  before.at('a');
  before.type('The disk');
  cleanup();
  startSession(jonas);
  const after = look();
  after.at('a');
  expect(after.box().value).toBe('');
  expect(sessionStorage).toHaveLength(0);
});

it('shows nothing that was half written in another organization', () => {
  const before = look();
  before.at('a');
  before.type('The disk');
  cleanup();
  startSession(elsewhere);
  const after = look();
  after.at('a');
  expect(after.box().value).toBe('');
});

it('empties the box for the answer, also of a page that was left and opened again', async () => {
  const answers: ((_: object) => void)[] = [];
  call.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  const { at, box, type, post } = look();
  at('a');
  type('Done');
  await post();
  at('b');
  at('a');
  await post();
  const [first, second] = keysOfCalls();
  expect(second).toBe(first);
  await act(async () => answers[0]?.({}));
  expect(box().value).toBe('');
});

it('posts one comment when only the answer was lost, and takes its failure away', async () => {
  const give = takeToasts(call);
  call.mockRejectedValueOnce(new Error('lost')).mockResolvedValue({});
  const { at, box, type, post } = look();
  at('a');
  type('Done');
  await post();
  expect(toastsAt(call)).toHaveLength(1);
  await post();
  expect(box().value).toBe('');
  expect(toastsAt(call)).toEqual([]);
  type('Done');
  await post();
  give();
  const keys = call.mock.calls.map(([request]) => request.headers['Idempotency-Key']);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

const keysOfCalls = () => call.mock.calls.map(([request]) => request.headers['Idempotency-Key']);

it('posts the same words again once they were taken out of the box', async () => {
  call.mockRejectedValueOnce(new Error('lost')).mockResolvedValue({});
  const { at, type, post } = look();
  at('a');
  type('still down');
  await post();
  type('');
  type('still down');
  await post();
  const [first, second] = keysOfCalls();
  expect(second).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
});

it('posts one comment when the answer was lost and the page was loaded again', async () => {
  call.mockRejectedValueOnce(new Error('lost')).mockResolvedValue({});
  const before = look();
  before.at('a');
  before.type('Done ');
  await before.post();
  cleanup();
  vi.resetModules();
  const { CommentBox } = await import('./comment-box');
  render(
    <QueryClientProvider client={createQueryClient()}>
      <CommentBox id="a" />
    </QueryClientProvider>,
  );
  await before.post();
  const [first, second] = keysOfCalls();
  expect(second).toBe(first);
});
