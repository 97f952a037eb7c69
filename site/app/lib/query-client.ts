import { type Mutation, MutationCache, QueryClient } from '@tanstack/react-query';
import { ApiError, reasonOf, SessionExpired } from './api';
import { accountOf, currentIdentity } from './identity';
import { lastSessionEnd } from './session';
import { fromElsewhere, toast } from './toast';

const minute = 60_000;

/** How long each kind of answer counts as fresh. The live feed renews it earlier. */
export const freshFor = { list: minute, detail: 5 * minute } as const;

/**
 * The cache of one signed-in visit. Refusals are final; a broken network is tried twice more. What a
 * browser believes about its network is no reason to wait: a call fails at once and is seen to fail,
 * and an Acknowledge is never kept back to be sent when nobody thinks of it any more.
 */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    mutationCache: ofOnePerson(),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && worthRepeating(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  sayLateFailures(client.getMutationCache());
  return client;
}

// What somebody else pressed ends without a word: its Retry would act as whoever is signed in by then.
// Whose session expired meanwhile, or who went to another organization, hears that it failed; no more.
function ofOnePerson(): MutationCache {
  const pressedBy = new WeakMap<object, string | null>();
  const end = (mutation: Mutation<unknown, unknown, unknown, unknown>) => {
    const [by, now] = [pressedBy.get(mutation), currentIdentity()];
    if (by === now) return;
    const concerned = now === null ? lastSessionEnd() === 'expired' : by && accountOf(by) === accountOf(now);
    const where = now === null ? '' : 'That was in the other organization.';
    const { onError } = mutation.options;
    mutation.setOptions({
      onError: (...failure) => {
        if (!concerned) return;
        fromElsewhere(where, () => (onError ? onError(...failure) : sayFailure(failure[0] as Error)));
      },
    });
  };
  return new MutationCache({
    onMutate: (_, mutation) => void pressedBy.set(mutation, currentIdentity()),
    onSuccess: (_, _1, _2, mutation) => end(mutation),
    onError: (_, _1, _2, mutation) => end(mutation),
  });
}

/**
 * Says that a save failed after its page or dialog was left: what was to say it there is gone with it.
 * Mutations that say it by themselves do so wherever the reader is.
 */
function sayLateFailures(cache: MutationCache): void {
  const left = new WeakSet<Mutation>();
  cache.subscribe((event) => {
    if (event.type === 'observerRemoved' && event.mutation.state.status === 'pending')
      left.add(event.mutation);
    if (event.type !== 'updated' || event.action.type !== 'error' || !left.has(event.mutation)) return;
    const { error } = event.action;
    // The cache is cleared for the next person, whom it does not concern.
    if (!cache.getAll().includes(event.mutation)) return;
    if (!event.mutation.options.onError) sayFailure(error);
  });
}

function sayFailure(error: Error): void {
  if (error instanceof SessionExpired) return;
  const [title, reason] = [error.message, reasonOf(error)];
  toast({ kind: 'failure', title, detail: reason === title ? undefined : reason });
}

/** Whether a call failed because nothing answered that could. */
export function worthRepeating(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
