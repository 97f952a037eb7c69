import { QueryClientProvider, useMutation } from '@tanstack/react-query';
import { act, cleanup, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from './api';
import { useDraft } from './draft';
import { halfWritten } from './half-written';
import { holdsBack } from './leave-guard';
import { createQueryClient } from './query-client';
import { endSession, startSession } from './session-change';
import { dismissToasts, takeToasts, toastsAt } from './toast';

interface Team {
  id: string;
  etag: string;
  name: string;
  note: string;
}

const stored: Team = { id: 't1', etag: '1', name: 'Platform', note: '' };
const theirs: Team = { ...stored, etag: '2', note: 'Theirs' };

const mara = { user: { id: 'u1', org_id: 'o1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };
const jonas = { ...mara, user: { ...mara.user, id: 'u2', name: 'Jonas' } };

/** A draft of a team whose saving ends as `answer` says. */
function begin({
  follows = false,
  what,
  ...answer
}: {
  follows?: boolean;
  what?: string;
  error?: Error;
  fetched?: Team;
}) {
  const mutate = vi.fn(async (sent: Team) => {
    if (answer.error) throw answer.error;
    return sent;
  });
  const save = {
    mutateAsync: mutate as never,
    reset: vi.fn(),
    isPending: false,
    error: answer.error ?? null,
  };
  const onSaved = vi.fn();
  const { result, rerender } = renderHook(
    ({ stored }) =>
      useDraft({
        stored,
        draftOf: ({ name, note }) => ({ name, note }),
        follows,
        what,
        storedBy: (answer: Team) => answer,
        request: (draft, base) => (draft.name === '' ? 'Give it a name.' : { ...base, ...draft }),
        save,
        onSaved,
        fetchNow: async () => answer.fetched,
        words: () => [
          { label: 'Name', stored: ({ name }) => name, words: ({ name }) => name },
          { label: 'Note', stored: ({ note }) => note, words: ({ note }) => note },
        ],
      }),
    { initialProps: { stored } },
  );
  const write = (fields: Partial<Team>) => act(() => result.current.set(fields));
  const submit = () => act(async () => void result.current.submit());
  return { result, rerender, mutate, save, onSaved, write, submit };
}

it('is dirty only while it differs from what it began as', () => {
  const { result, write } = begin({});
  expect(result.current.dirty).toBe(false);
  write({ name: 'Payments' });
  expect(result.current.dirty).toBe(true);
  write({ name: 'Platform' });
  expect(result.current.dirty).toBe(false);
});

it('is sent in the version that it began from, whatever was read meanwhile', async () => {
  const { result, rerender, mutate, onSaved, write, submit } = begin({});
  rerender({ stored: theirs });
  expect(result.current.draft.note).toBe('');
  write({ name: 'Payments' });
  await submit();
  expect(mutate.mock.calls[0]?.[0]).toEqual({ ...stored, name: 'Payments' });
  expect(onSaved).toHaveBeenCalledOnce();
});

it('that follows shows what is stored until somebody writes', () => {
  const { result, rerender, write } = begin({ follows: true });
  rerender({ stored: theirs });
  expect(result.current.draft.note).toBe('Theirs');
  write({ name: 'Payments' });
  rerender({ stored: { ...theirs, etag: '3', note: 'Later' } });
  expect(result.current.draft).toEqual({ name: 'Payments', note: 'Theirs' });
  expect(result.current.base.etag).toBe('2');
  act(() => result.current.discard());
  expect(result.current.draft).toEqual({ name: 'Platform', note: 'Later' });
});

it('is not sent while something is missing, and says so from the first try on', async () => {
  const { result, mutate, write, submit } = begin({});
  write({ name: '' });
  expect(result.current.failure).toBe('');
  await submit();
  expect(mutate).not.toHaveBeenCalled();
  expect(result.current.failure).toBe('Give it a name.');
  write({ name: 'P' });
  expect(result.current.failure).toBe('');
});

it('marks the fields that the server refused until they are changed', async () => {
  const fields = { name: 'must be at most 5 characters' };
  const { result, write, submit } = begin({ error: new ApiError('Failed', 422, 'Too long.', fields) });
  expect(result.current.text('name').error).toBeUndefined();
  await submit();
  expect(result.current.failure).toBe('Too long.');
  expect(result.current.text('name').error).toBe('Must be at most 5 characters.');
  expect(result.current.text('note').error).toBeUndefined();
  write({ name: 'P' });
  expect(result.current.text('name').error).toBeUndefined();
});

const conflicting = { error: new ApiError('Failed', 412, 'Changed meanwhile.'), fetched: theirs };

it('shows what somebody else stored, and goes on with mine on top of it', async () => {
  const { result, save, write, submit } = begin(conflicting);
  write({ name: 'Payments' });
  await submit();
  expect(result.current.failure).toBe('');
  expect(result.current.conflict?.changes).toEqual([
    { label: 'Note', was: 'nothing', theirs: 'Theirs', yours: null },
  ]);
  act(() => result.current.conflict?.onKeepMine());
  expect(result.current.draft).toEqual({ name: 'Payments', note: 'Theirs' });
  expect(result.current.base.etag).toBe('2');
  expect(result.current.conflict).toBeNull();
  expect(save.reset).toHaveBeenCalled();
});

it('gives way to theirs', async () => {
  const { result, write, submit } = begin(conflicting);
  write({ name: 'Payments' });
  await submit();
  act(() => result.current.conflict?.onTakeTheirs());
  expect(result.current.draft).toEqual({ name: 'Platform', note: 'Theirs' });
  expect(result.current.dirty).toBe(false);
});

it('says why when what somebody else stored cannot be read', async () => {
  const { result, submit } = begin({ error: conflicting.error });
  await submit();
  expect(result.current.conflict).toBeNull();
  expect(result.current.failure).toBe('Changed meanwhile.');
});

it('goes on from what is stored when it is sent again before its page is left', async () => {
  const { mutate, result, write, submit } = begin({});
  mutate.mockImplementation(async (sent) => ({ ...sent, etag: '2' }));
  write({ name: 'Payments' });
  await submit();
  expect(result.current.dirty).toBe(false);
  await submit();
  expect(mutate.mock.lastCall?.[0]).toMatchObject({ etag: '2', name: 'Payments' });
});

it.each([true, false])(
  'keeps what was written while it was saved, on top of what is stored then',
  async (follows) => {
    const { mutate, onSaved, result, write, submit } = begin({ follows });
    let saved: (answer: Team) => void = () => undefined;
    mutate.mockImplementation(
      () =>
        new Promise((resolve) => {
          saved = resolve;
        }),
    );
    write({ name: 'Payments' });
    await submit();
    write({ note: 'Typed meanwhile' });
    await act(async () => saved({ ...stored, etag: '2', name: 'Payments' }));
    expect(onSaved.mock.lastCall?.[1]).toBe(true);
    expect(result.current.draft).toEqual({ name: 'Payments', note: 'Typed meanwhile' });
    expect(result.current.dirty).toBe(true);
    expect(holdsBack()).toBe(true);
    await submit();
    expect(mutate.mock.calls[1]?.[0]).toMatchObject({ etag: '2', note: 'Typed meanwhile' });
    await act(async () => saved({ ...stored, etag: '3', name: 'Payments', note: 'Typed meanwhile' }));
    expect(onSaved.mock.lastCall?.[1]).toBe(false);
    expect(result.current.dirty).toBe(false);
    expect(holdsBack()).toBe(false);
  },
);

it.each([
  ['its page was left', cleanup, true],
  ['somebody else signed in', () => startSession(jonas), false],
])('says that it is stored, or not, once %s meanwhile', async (_, happens, said) => {
  startSession(mara);
  const onSaved = vi.fn();
  let saved: (answer: Team) => void = () => undefined;
  const mutationFn = (_: object) =>
    new Promise<Team>((resolve) => {
      saved = resolve;
    });
  const { result } = renderHook(
    () =>
      useDraft({
        stored,
        draftOf: (team) => team,
        request: (team) => team,
        save: useMutation({ mutationFn }),
        onSaved,
      }),
    {
      wrapper: ({ children }) => (
        <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
      ),
    },
  );
  act(() => result.current.set({ name: 'Payments' }));
  await act(async () => void result.current.submit());
  happens();
  const place = {};
  const giveBack = takeToasts(place);
  await act(async () => saved(stored));
  expect(toastsAt(place).map(({ kind }) => kind)).toEqual(said ? ['success'] : []);
  expect(onSaved.mock.calls.map(([, stays]) => stays)).toEqual(said ? [true] : []);
  giveBack();
  dismissToasts();
});

describe('what is begun', () => {
  const elsewhere = { ...mara, user: { ...mara.user, org_id: 'o2' } };
  const open = () => begin({ what: 'team t1', follows: true });
  const leave = cleanup;

  beforeEach(() => {
    sessionStorage.clear();
    history.replaceState(null, '', '/');
    startSession(mara);
  });

  it.each<[string, (edit: ReturnType<typeof open>) => unknown, string]>([
    ['is there after its session expired', () => endSession('expired'), 'Payments'],
    ['is there after a look at another organization', () => startSession(elsewhere), 'Payments'],
    ['is gone with a logout', () => endSession('signed-out'), 'Platform'],
    ['is gone once somebody else was signed in', () => startSession(jonas), 'Platform'],
    ['is gone once its page was left', () => history.pushState(null, '', '/elsewhere'), 'Platform'],
    ['is there after its editor was taken away on its page', () => undefined, 'Payments'],
    [
      'is there as it was when somebody typed on while another tab went to another organization',
      (edit) => {
        startSession(elsewhere);
        edit.write({ name: 'Payments, late' });
        expect(halfWritten('team t1')).toBe('');
      },
      'Payments',
    ],
    [
      'is gone once it was given up',
      ({ result }) => {
        act(() => result.current.discard());
        endSession('expired');
      },
      'Platform',
    ],
    [
      'is gone once it is stored',
      async ({ submit }) => {
        await submit();
        endSession('expired');
      },
      'Platform',
    ],
  ])('%s', async (_, happens, left) => {
    const edit = open();
    edit.write({ name: 'Payments' });
    await happens(edit);
    leave();
    startSession(mara);
    const again = open();
    expect(again.result.current.draft.name).toBe(left);
  });

  it('keeps the version that it began from', async () => {
    open().write({ name: 'Payments' });
    endSession('expired');
    leave();
    startSession(mara);
    const { result, rerender, mutate, submit } = open();
    rerender({ stored: theirs });
    expect(result.current.dirty).toBe(true);
    await submit();
    expect(mutate.mock.calls[0]?.[0]).toMatchObject({ etag: '1', name: 'Payments' });
  });
});
