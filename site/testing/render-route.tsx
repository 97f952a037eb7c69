import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { createRoutesStub } from 'react-router';
import { Toaster } from '~/components/ui/toaster';
import { createQueryClient } from '~/lib/query-client';
import { startSession } from '~/lib/session-change';

type Page = Parameters<typeof createRoutesStub>[0][number]['Component'];

/** Draws one route with a cache and the toaster, as the signed-in layout would. Other addresses show their path. */
export function renderRoute(path: string, Component: Page, at = path): void {
  const client = createQueryClient();
  client.setDefaultOptions({ queries: { retry: false } });
  const Stub = createRoutesStub([
    { path, Component },
    { path: '*', Component: Elsewhere },
  ]);
  render(
    <QueryClientProvider client={client}>
      <Stub initialEntries={[at]} />
      <Toaster />
    </QueryClientProvider>,
  );
}

/** Stores a session, so that calls have a token. */
export function signIn(): void {
  startSession({ user: { name: 'Mara Lindqvist' }, accessToken: 'access-1', refreshToken: 'refresh-1' });
}

function Elsewhere() {
  return <p>Another page</p>;
}
