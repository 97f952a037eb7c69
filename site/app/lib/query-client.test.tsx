import { QueryClientProvider, useMutation } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { ApiError, SessionExpired } from './api';
import { createQueryClient } from './query-client';
import { endSession, startSession } from './session-change';
import { dismissToasts, takeToasts, toast, toastsAt } from './toast';

const refused = new ApiError('Failed to assign incident', 409, 'It is resolved already.');

/** Begins a save, does what the test says while it is pending, and lets it fail. */
async function fail(
  meanwhile: (page: { unmount: () => void; clear: () => void }) => void,
  { error = refused, onError }: { error?: Error; onError?: () => void } = {},
) {
  const place = {};
  const leave = takeToasts(place);
  dismissToasts();
  const client = createQueryClient();
  let end: (error: Error) => void = () => undefined;
  const pending = new Promise<void>((_, reject) => {
    end = reject;
  });
  const { result, unmount } = renderHook(() => useMutation({ mutationFn: () => pending, onError }), {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
  await act(async () => result.current.mutate());
  await waitFor(() => expect(result.current.isPending).toBe(true));
  meanwhile({ unmount, clear: () => client.clear() });
  await act(async () => end(error));
  await act(() => new Promise<void>((done) => setTimeout(done)));
  const said = toastsAt(place).at(-1) ?? null;
  leave();
  return said;
}

it('says that a save failed whose page or dialog is gone', async () => {
  expect(await fail(({ unmount }) => unmount())).toMatchObject({
    kind: 'failure',
    title: 'Failed to assign incident',
    detail: 'It is resolved already.',
  });
});

it('leaves a failure to whoever is still there to show it', async () => {
  expect(await fail(() => undefined)).toBeNull();
});

it('does not say twice what the mutation says by itself', async () => {
  const onError = vi.fn();
  expect(await fail(({ unmount }) => unmount(), { onError })).toBeNull();
  expect(onError).toHaveBeenCalledOnce();
});

it('tells the next person, and whoever is signed out, nothing of it', async () => {
  const gone = ({ unmount, clear }: { unmount: () => void; clear: () => void }) => {
    clear();
    unmount();
  };
  expect(await fail(gone)).toBeNull();
  expect(await fail(({ unmount }) => unmount(), { error: new SessionExpired() })).toBeNull();
});

const mara = { user: { id: 'u1', org_id: 'o1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };
const jonas = { ...mara, user: { ...mara.user, id: 'u2', name: 'Jonas' } };

it.each([
  ['to the next person', () => startSession(jonas), 0],
  ['once its person has left', () => endSession('signed-out'), 0],
  ['to the same person, whose session went on', () => startSession({ ...mara, accessToken: 'a2' }), 1],
])('what a mutation has to say of its failure is said %s, or not', async (_, meanwhile, times) => {
  startSession(mara);
  const onError = vi.fn();
  await fail(meanwhile, { onError });
  expect(onError).toHaveBeenCalledTimes(times);
});

it.each([
  ['whose session expired', () => endSession('expired')],
  ['who went to another organization', () => startSession({ ...mara, user: { ...mara.user, org_id: 'o2' } })],
])('tells the person %s that it failed, with no Retry', async (_, meanwhile) => {
  startSession(mara);
  const onError = () => toast({ kind: 'failure', title: 'Failed to acknowledge incident', retry: () => {} });
  const said = await fail(meanwhile, { onError });
  expect(said).toMatchObject({ title: 'Failed to acknowledge incident' });
  expect(said).not.toHaveProperty('retry');
  startSession(mara);
  // What has nothing to say of its own, and whose page is gone with the session.
  const gone = ({ unmount, clear }: { unmount: () => void; clear: () => void }) => {
    meanwhile();
    clear();
    unmount();
  };
  expect(await fail(gone)).toMatchObject({ title: 'Failed to assign incident' });
});

it('says nothing of a success to the next person', async () => {
  startSession(mara);
  const onSuccess = vi.fn();
  const client = createQueryClient();
  let end = () => {};
  const pressed = client
    .getMutationCache()
    .build(client, { mutationFn: () => new Promise<void>((done) => (end = done)), onSuccess })
    .execute(undefined);
  await act(() => new Promise<void>((done) => setTimeout(done)));
  startSession(jonas);
  end();
  await pressed;
  expect(onSuccess).not.toHaveBeenCalled();
});
