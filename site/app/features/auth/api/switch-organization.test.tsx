import type { LogoutResponseJson, SignedInUserJson, SwitchOrganizationResponseJson } from '@nightbell/proto';
import { cleanup, render, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { keptDraft, useKeptDraft } from '~/lib/kept-draft';
import { currentSession } from '~/lib/session';
import { endSession, startSession } from '~/lib/session-change';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { switchOrganization } from './switch-organization';

const begun = { name: 'Nights' };

function Page() {
  useKeptDraft('policy p1', begun);
  return null;
}

const inOrganization = (org_id: string) =>
  startSession({ user: { id: 'u1', org_id, name: 'Mara' }, accessToken: org_id, refreshToken: 'r' });

beforeEach(() => {
  inOrganization('o1');
  render(<Page />);
});

it('keeps nothing of what was given up for another organization', async () => {
  const user = { id: 'u1', org_id: 'o2', name: 'Mara' } satisfies SignedInUserJson;
  server.use(
    http.post('*/v1/auth/switch-organization', () =>
      reply<SwitchOrganizationResponseJson>({ user, tokens: { access_token: 'o2', refresh_token: 'r2' } }),
    ),
    http.post('*/v1/auth/logout', () => reply<LogoutResponseJson>({})),
  );
  expect(keptDraft('policy p1')).toEqual(begun);
  await switchOrganization('o2');
  cleanup();
  inOrganization('o1');
  expect(keptDraft('policy p1')).toBeNull();
});

it('keeps what is not stored where the other organization is not reached', async () => {
  server.use(http.post('*/v1/auth/switch-organization', () => HttpResponse.error()));
  await expect(switchOrganization('o2')).rejects.toThrow();
  expect(keptDraft('policy p1')).toEqual(begun);
});

const jonas = { user: { id: 'u2', org_id: 'o3', name: 'Jonas' }, accessToken: 'j', refreshToken: 'rj' };

it.each([
  ['logged out', () => endSession('signed-out'), undefined],
  ['signed in as somebody else', () => startSession(jonas), 'Jonas'],
])('ends what it began where somebody %s before the answer', async (_, happens, left) => {
  const ended: unknown[] = [];
  server.use(
    http.post('*/v1/auth/switch-organization', () => {
      happens();
      const user = { id: 'u1', org_id: 'o2', name: 'Mara' } satisfies SignedInUserJson;
      return reply<SwitchOrganizationResponseJson>({
        user,
        tokens: { access_token: 'o2', refresh_token: 'r2' },
      });
    }),
    http.post('*/v1/auth/logout', async ({ request }) => {
      ended.push(await request.json());
      return reply<LogoutResponseJson>({});
    }),
  );
  expect(await switchOrganization('o2')).toBe(false);
  expect(currentSession()?.user.name).toBe(left);
  await waitFor(() => expect(ended).toEqual([{ refresh_token: 'r2' }]));
});
