import type {
  DeleteTeamResponseJson,
  ListTeamsResponseJson,
  ListUsersResponseJson,
  TeamJson,
  UpdateTeamResponseJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import OnCallTeams from './on-call-teams';

let saved: Record<string, unknown>[];

beforeEach(() => {
  signIn();
  saved = [];
  server.use(
    http.get('*/v1/teams', () =>
      reply<ListTeamsResponseJson>({ teams: [{ id: 't1', name: 'Platform', user_ids: ['u1', 'gone'] }] }),
    ),
    http.patch('*/v1/teams/t1', async ({ request }) => {
      saved.push((await request.json()) as Record<string, unknown>);
      return reply<UpdateTeamResponseJson>({});
    }),
    http.delete('*/v1/teams/t1', () =>
      HttpResponse.json({ message: 'Payments pages this team.' }, { status: 409 }),
    ),
    http.get('*/v1/users', () =>
      reply<ListUsersResponseJson>({
        users: [
          { id: 'u1', name: 'Mara', joined_at: '1' },
          { id: 'u2', name: 'Jonas', joined_at: '2' },
        ],
      }),
    ),
  );
});

describe('the teams', () => {
  it('name who is in them, and count those they cannot name', async () => {
    renderRoute('/oncall/teams', OnCallTeams);
    const row = await screen.findByRole('row', { name: /Platform/ });
    await waitFor(() => expect(row).toHaveTextContent('Mara'));
    expect(row).toHaveTextContent('1 more');
  });

  it('are changed without losing members that are not shown', async () => {
    renderRoute('/oncall/teams', OnCallTeams);
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Platform' }));
    await screen.findByRole('button', { name: 'Remove Mara' });
    await userEvent.type(screen.getByRole('combobox', { name: 'Members' }), 'jon{Enter}');
    await userEvent.click(screen.getByRole('button', { name: 'Save team' }));
    await waitFor(() =>
      expect(saved).toEqual([{ name: 'Platform', description: '', user_ids: ['gone', 'u1', 'u2'] }]),
    );
  });

  it('are kept while a policy pages them', async () => {
    renderRoute('/oncall/teams', OnCallTeams);
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Platform' }));
    const dialog = screen.getByRole('dialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete team' }));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('Payments pages this team.');
  });

  it('are deleted as they were read: what somebody else changed is shown first', async () => {
    const conditions: (string | null)[] = [];
    let stored = {
      id: 't1',
      name: 'Platform',
      description: '',
      user_ids: ['u1'],
      etag: 'one',
    } satisfies TeamJson;
    server.use(
      http.get('*/v1/teams', () => reply<ListTeamsResponseJson>({ teams: [stored] })),
      http.delete('*/v1/teams/t1', ({ request }) => {
        conditions.push(request.headers.get('If-Match'));
        if (conditions.length > 1) return reply<DeleteTeamResponseJson>({});
        stored = { ...stored, description: 'Still needed', etag: 'two' };
        return HttpResponse.json({ code: 'etag_mismatch', message: 'Changed.' }, { status: 412 });
      }),
    );
    renderRoute('/oncall/teams', OnCallTeams);
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Platform' }));
    const dialog = screen.getByRole('dialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete team' }));
    expect(await within(dialog).findByRole('cell', { name: 'Still needed' })).toBeVisible();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete it anyway' }));
    await waitFor(() => expect(conditions).toEqual(['"one"', '"two"']));
  });
});
