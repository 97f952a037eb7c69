import type {
  GetScheduleTimelineResponseJson,
  ListCoverageProblemsResponseJson,
  ListEscalationPoliciesResponseJson,
  ListOverridesResponseJson,
  ListSchedulesResponseJson,
  ListUsersResponseJson,
  OnCallJson,
  ScheduleJson,
  ShiftJson,
  UserJson,
} from '@nightbell/proto';
import { act, screen, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import OnCall from './on-call';

const minute = 60_000;
const hour = 60 * minute;
const mara = { id: 'u1', name: 'Mara Lindqvist' } satisfies UserJson;
const covered = /^No gap in the next 30 days/;

function shift(from: number, to: number, users: ShiftJson['users']): ShiftJson {
  const iso = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
  return { starts_at: iso(from), ends_at: iso(to), users, because: users?.length ? 'rotation' : 'nothing' };
}

let final: ShiftJson[];
let answers: boolean;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    shouldAdvanceTime: true,
  });
  startSession({ user: { ...mara, role: 'owner' }, accessToken: 'access-1', refreshToken: 'refresh-1' });
  final = [shift(-900, 1500, [mara])];
  answers = true;
  const on_call: OnCallJson = { current: shift(-3, 900, [mara]) };
  const schedules: ScheduleJson[] = [
    { id: 's1', name: 'Night Shift', timezone: 'UTC', status: 'active', on_call },
  ];
  server.use(
    http.get('*/v1/schedules', () => reply<ListSchedulesResponseJson>({ schedules })),
    http.get('*/v1/schedules/:id/timeline', async () => {
      if (!answers) await delay('infinite');
      return reply<GetScheduleTimelineResponseJson>({
        timeline: { timezone: 'UTC', final, layers: [], overrides: [] },
      });
    }),
    http.get('*/v1/on-call/problems', () => reply<ListCoverageProblemsResponseJson>({ problems: [] })),
    http.get('*/v1/overrides', () => reply<ListOverridesResponseJson>({ overrides: [] })),
    http.get('*/v1/escalation-policies', () =>
      reply<ListEscalationPoliciesResponseJson>({ escalation_policies: [] }),
    ),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [mara] })),
  );
});
afterEach(() => vi.useRealTimers());

async function strip() {
  renderRoute('/oncall', OnCall);
  const shown = within(await screen.findByRole('region', { name: 'On call now' }));
  expect(await shown.findByText(covered)).toBeInTheDocument();
  return shown;
}

it('shows within a minute that somebody else has left hours uncovered', async () => {
  const shown = await strip();
  final = [shift(-900, 5, [mara]), shift(5, 9, []), shift(9, 1500, [mara])];
  await act(() => vi.advanceTimersByTimeAsync(minute + 1000));
  expect(await shown.findByText('Nobody on call')).toBeInTheDocument();
  expect(shown.queryByText(covered)).toBeNull();
});

it('claims no cover of an answer that has become old', async () => {
  const shown = await strip();
  answers = false;
  await act(() => vi.advanceTimersByTimeAsync(3 * minute));
  expect(shown.queryByText(covered)).toBeNull();
});
