import { QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import { createRoutesStub } from 'react-router';
import { describe, expect, it, vi } from 'vitest';
import { cacheOf } from '~/data/cache';
import { installationKeys, memberKeys } from '~/data/keys';
import { startSession } from '~/lib/session-change';
import routes from '~/routes';

interface Page {
  default: Parameters<typeof createRoutesStub>[0][number]['Component'];
  clientLoader?: (of: { params: { id: string }; request: Request }) => unknown;
}

const workspace = (await routes).find(({ file }) => file === 'routes/signed-in.tsx')?.children ?? [];
const pages = workspace.map(
  ({ path = '', file }) => [/\/(.*)\.tsx/.exec(file)?.[1] ?? '', `/${path}`] as const,
);

// What the workspace around every page asks for by itself.
const around: readonly string[] = [installationKeys.all, memberKeys.all].map((key) => JSON.stringify(key));

/** What a page asks for, by its loader and once it is drawn, of a server that answers nothing. */
async function asks(name: string, path: string, role: string) {
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  const user = { id: 'u1', org_id: `${name}, ${role}`, name: 'Mara', role };
  const session = { user, accessToken: 'access', refreshToken: 'refresh' };
  startSession(session);
  const client = cacheOf(session);
  const asked = () =>
    client
      .getQueryCache()
      .findAll({ fetchStatus: 'fetching' })
      .map(({ queryHash }) => queryHash);
  const page: Page = await import(`../app/routes/${name}.tsx`);
  const at = path.replace(':id', 'x1');
  const request = new Request(`http://nightbell.test${at}`);
  const left = page.clientLoader?.({ params: { id: 'x1' }, request });
  const ahead = asked();
  const Stub = createRoutesStub([{ path, Component: page.default }]);
  render(
    <QueryClientProvider client={client}>
      <Stub initialEntries={[at]} />
    </QueryClientProvider>,
  );
  await act(async () => undefined);
  const late = asked().filter((key) => !ahead.includes(key) && !around.includes(key));
  return { left, ahead, late };
}

it('there are pages', () => expect(pages.length).toBeGreaterThan(20));

describe('the loader of a page asks for all that the page asks for when it is drawn first', () => {
  it.each(pages)('%s', async (name, path) => {
    const { left, late } = await asks(name, path, 'owner');
    expect(late, `clientLoader of routes/${name}.tsx must prefetch these too`).toEqual([]);
    // Not a promise: no navigation waits for an answer.
    expect(left ?? null).toBeNull();
  });
});

describe('the loader of a page asks for nothing that only admins may read', () => {
  it.each(pages)('%s', async (name, path) => {
    const { ahead } = await asks(name, path, 'viewer');
    expect(ahead.filter((key) => /^\["(invitations|api-keys|audit|webhooks)"/.test(key))).toEqual([]);
  });
});
