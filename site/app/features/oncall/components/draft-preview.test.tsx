import type {
  ListUsersResponseJson,
  PreviewScheduleResponseJson,
  ShiftJson,
  UserJson,
} from '@nightbell/proto';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import { startSession } from '~/lib/session-change';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { newDraft } from '../model/draft';
import { DraftPreview } from './draft-preview';

const mara = { id: 'u1', name: 'Mara Lindqvist' } satisfies UserJson;
const now = Date.parse('2026-03-25T02:12:00Z');
const always = {
  starts_at: '2026-01-01T00:00:00Z',
  ends_at: '2027-01-01T00:00:00Z',
  users: [mara],
} satisfies ShiftJson;

beforeEach(() => {
  startSession({ user: { ...mara, role: 'owner' }, accessToken: 'access-1', refreshToken: 'refresh-1' });
  server.use(
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [mara] })),
    http.post('*/v1/schedules/preview', () =>
      reply<PreviewScheduleResponseJson>({
        timeline: { timezone: 'UTC', final: [always], layers: [], overrides: [] },
      }),
    ),
  );
  render(
    <QueryClientProvider client={createQueryClient()}>
      <DraftPreview scheduleId="" draft={newDraft('UTC', now)} missing={null} now={now} />
    </QueryClientProvider>,
  );
});

it('says that somebody is on call only of the days that it has looked at', async () => {
  const from = 'Somebody is on call all the time';
  expect(await screen.findByText(`${from} from now to the end of Tue 7 April.`)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Later' }));
  expect(await screen.findByText(`${from}, 8 to 21 April.`)).toBeInTheDocument();
});

it('says so of no days that it is still asking for', async () => {
  expect(await screen.findByText(/^Somebody is on call/)).toBeInTheDocument();
  server.use(http.post('*/v1/schedules/preview', () => delay('infinite')));
  await userEvent.click(screen.getByRole('button', { name: 'Later' }));
  expect(await screen.findByText('Loading the preview. The picture is of before.')).toBeInTheDocument();
  expect(screen.queryByText(/^Somebody is on call/)).toBeNull();
});

it('says nothing of the kind of days that are over', async () => {
  await userEvent.click(screen.getByRole('button', { name: 'Earlier' }));
  expect(await screen.findByText(/^These days are over/)).toBeInTheDocument();
  expect(screen.queryByText(/somebody is on call/i)).toBeNull();
});
