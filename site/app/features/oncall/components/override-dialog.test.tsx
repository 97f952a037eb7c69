import type { ListUsersResponseJson, UserJson } from '@nightbell/proto';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { toSchedules } from '../model/schedule';
import { OverrideDialog } from './override-dialog';

const now = Date.parse('2026-03-25T02:12:00Z');
const people = ['Mara', 'Jonas', 'Priya'].map((name, i) => ({ id: `u${i + 1}`, name }) satisfies UserJson);
const schedules = (onCall: number[]) =>
  toSchedules(
    onCall
      .map((at) => people[at])
      .map((user, i) => ({
        id: `s${i}`,
        name: `Schedule ${i}`,
        timezone: 'UTC',
        status: 'active',
        on_call: {
          current: {
            starts_at: '2026-03-24T20:00:00Z',
            ends_at: '2026-03-26T08:00:00Z',
            users: user && [user],
          },
        },
      })),
  );

function Opened() {
  const [onCall, setOnCall] = useState([0, 2]);
  return (
    <>
      <OverrideDialog schedules={schedules(onCall)} now={now} onClose={() => undefined} />
      <button type="button" onClick={() => setOnCall([2, 1])}>
        Hand over
      </button>
    </>
  );
}

it('covers who is on call on the schedule that is chosen, also when others came on call meanwhile', async () => {
  signIn();
  server.use(http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: people })));
  renderRoute('/', Opened);
  await userEvent.click(await screen.findByRole('button', { name: 'Cover one person' }));
  const covered = await screen.findByLabelText('Instead of');
  expect(await screen.findAllByRole('option', { name: 'Priya' })).not.toEqual([]);
  expect(covered).toHaveDisplayValue('Mara');
  await userEvent.click(screen.getByText('Hand over'));
  await userEvent.selectOptions(screen.getByLabelText('Schedule'), 'Schedule 1');
  expect(covered).toHaveDisplayValue('Jonas');
  await userEvent.selectOptions(screen.getByLabelText('Schedule'), 'Schedule 0');
  expect(covered).toHaveDisplayValue('Priya');
});

it('takes nothing while it is saved, and the focus back to where it was when that failed', async () => {
  signIn();
  let come = () => {};
  const coming = new Promise<void>((resolve) => {
    come = resolve;
  });
  server.use(
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: people })),
    http.post('*/overrides', async () => {
      await coming;
      return HttpResponse.json({}, { status: 500 });
    }),
  );
  renderRoute('/', Opened);
  const reason = await screen.findByLabelText(/Reason/);
  await userEvent.type(reason, 'Holiday{Enter}');
  expect(await screen.findByRole('button', { name: 'Creating override...', hidden: true })).toBeDisabled();
  expect(reason).toBeDisabled();
  reason.blur();
  come();
  await waitFor(() => expect(reason).toBeEnabled());
  expect(reason).toHaveFocus();
  expect(reason).toHaveValue('Holiday');
});
