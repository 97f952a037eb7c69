import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ApiError } from './api';
import { useDraft } from './draft';

interface Team {
  id: string;
  etag: string;
  name: string;
  note: string;
}

const stored: Team = { id: 't1', etag: '1', name: 'Platform', note: '' };
const theirs: Team = { ...stored, etag: '2', note: 'Theirs' };

interface Ends {
  onSuccess: (stored: object) => void;
  onError: (cause: Error) => Promise<void>;
}

/** A draft of a team whose saving ends as `answer` says. */
function begin({ follows = false, ...answer }: { follows?: boolean; error?: Error; fetched?: Team }) {
  const mutate = vi.fn((_sent: Team, on: Ends) =>
    answer.error ? on.onError(answer.error) : on.onSuccess({}),
  );
  const save = { mutate: mutate as never, reset: vi.fn(), isPending: false, error: answer.error ?? null };
  const onSaved = vi.fn();
  const { result, rerender } = renderHook(
    ({ stored }) =>
      useDraft({
        stored,
        draftOf: ({ name, note }) => ({ name, note }),
        follows,
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

it('keeps what was written while it was saved, on top of what is stored then', async () => {
  const { result, rerender, mutate, write, submit } = begin({ follows: true });
  let saved: () => void = () => undefined;
  mutate.mockImplementation((_, on) => {
    saved = () => on.onSuccess({});
  });
  write({ name: 'Payments' });
  await submit();
  write({ note: 'Typed meanwhile' });
  act(() => saved());
  expect(result.current.draft).toEqual({ name: 'Payments', note: 'Typed meanwhile' });
  expect(result.current.dirty).toBe(true);
  rerender({ stored: { ...stored, etag: '2', name: 'Payments' } });
  expect(result.current.draft).toEqual({ name: 'Payments', note: 'Typed meanwhile' });
  await submit();
  expect(mutate.mock.calls[1]?.[0]).toMatchObject({ etag: '2', note: 'Typed meanwhile' });
  act(() => saved());
  rerender({ stored: { ...stored, etag: '3', name: 'Payments', note: 'As stored' } });
  expect(result.current.draft.note).toBe('As stored');
});
