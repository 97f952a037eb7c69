import type {
  CreateOverrideResponseJson,
  GetScheduleTimelineResponseJson,
  ListCoverageProblemsResponseJson,
  ListEscalationPoliciesResponseJson,
  ListOverridesResponseJson,
  ListSchedulesResponseJson,
  ListUsersResponseJson,
  OverrideJson,
  ScheduleJson,
  ShiftJson,
  TimelineLayerJson,
  UserJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { ScheduleBoard } from '~/features/oncall/components/schedule-board';
import { toSchedules } from '~/features/oncall/model/schedule';
import { startSession } from '~/lib/session-change';
import { renderRoute } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import OnCall from './on-call';

const hour = 3_600_000;
const now = Date.now();
const iso = (hours: number) => new Date(now + hours * hour).toISOString();
const mara = { id: 'u1', name: 'Mara Lindqvist' } satisfies UserJson;
const jonas = { id: 'u2', name: 'Jonas Okafor' } satisfies UserJson;
const shift = (from: number, to: number, users: ShiftJson['users']): ShiftJson => ({
  starts_at: iso(from),
  ends_at: iso(to),
  users,
  because: users?.length ? 'rotation' : 'nothing',
  because_id: 'r1',
  because_name: 'Night',
});
const night: ScheduleJson = {
  id: 's1',
  name: 'Night Shift',
  description: 'Working days',
  team: { id: 't1', name: 'Infrastructure' },
  timezone: 'UTC',
  status: 'active',
  rotations: [{ id: 'r1', name: 'Night', unit: 'day', length: 1, handover: '20:00', starts_at: iso(-99) }],
  on_call: { current: shift(-3, 5, [jonas]), next: shift(5, 9, []) },
};
const holiday: ScheduleJson = { id: 's2', name: 'Holiday', timezone: 'UTC', status: 'inactive' };
let schedules: ScheduleJson[];
let overrides: OverrideJson[];

const signIn = (role: string) =>
  startSession({ user: { ...mara, role }, accessToken: 'access-1', refreshToken: 'refresh-1' });

beforeEach(() => {
  signIn('owner');
  schedules = [night, holiday];
  overrides = [];
  const final = [shift(-900, 5, [jonas]), shift(5, 9, []), shift(9, 1500, [mara])];
  server.use(
    http.get('*/v1/schedules', () => reply<ListSchedulesResponseJson>({ schedules })),
    http.get('*/v1/schedules/:id/timeline', ({ request }) => {
      const { searchParams } = new URL(request.url);
      const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? ''];
      const layers = [
        { rotation_id: 'r1', name: 'Night', shifts: final.slice(0, 1) },
      ] satisfies TimelineLayerJson[];
      return reply<GetScheduleTimelineResponseJson>({
        timeline: { from, to, timezone: 'UTC', final, layers, overrides },
      });
    }),
    http.get('*/v1/on-call/problems', () => reply<ListCoverageProblemsResponseJson>({ problems: [] })),
    http.get('*/v1/overrides', () => reply<ListOverridesResponseJson>({ overrides })),
    http.get('*/v1/escalation-policies', () =>
      reply<ListEscalationPoliciesResponseJson>({ escalation_policies: [] }),
    ),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [mara, jonas] })),
  );
});

const show = (at = '/oncall') => renderRoute('/oncall', OnCall, at);
const inTable = async (name: string) => within(await screen.findByRole('table', { name }));

function Board() {
  const [own] = toSchedules([night]);
  const [other] = toSchedules([{ ...holiday, name: 'A new one', status: 'active' }]);
  const [all, setAll] = useState(own ? [own] : []);
  if (!own || !other) throw new Error('two schedules expected');
  return (
    <>
      <button type="button" onClick={() => setAll((now) => (now.length > 1 ? [other] : [other, own]))}>
        Others change it
      </button>
      <ScheduleBoard schedules={all} />
    </>
  );
}

describe('the on-call page', () => {
  it('has the columns of the list, and a pencil for each schedule', async () => {
    show();
    const table = await inTable('Schedules');
    for (const name of ['Name', 'Description', 'Team', 'Escalation Policy', 'Status']) {
      expect(table.getByRole('columnheader', { name })).toBeInTheDocument();
    }
    expect(table.getByText('Inactive')).toBeInTheDocument();
    expect(table.getByRole('link', { name: 'Edit Holiday' })).toHaveAttribute('href', '/oncall/schedules/s2');
    expect(screen.getByRole('link', { name: 'Create Schedule' })).toBeInTheDocument();
  });

  it('says who is on call now, until when, and when nobody is', async () => {
    show();
    const strip = within(await screen.findByRole('region', { name: 'On call now' }));
    expect(strip.getByText('Jonas Okafor')).toBeInTheDocument();
    expect(strip.getByText(/^until .*, then nobody$/)).toBeInTheDocument();
    expect(await strip.findByText('Nobody on call')).toBeInTheDocument();
  });

  it('covers the gap with the dialog, in the exact hours of the gap', async () => {
    let sent: unknown;
    server.use(
      http.post('*/v1/schedules/s1/overrides', async ({ request }) => {
        sent = await request.json();
        return reply<CreateOverrideResponseJson>({ override: { id: 'o1' } });
      }),
    );
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Cover this gap' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Create override' }));
    await waitFor(() =>
      expect(sent).toEqual({
        kind: 'take_over',
        user_id: 'u1',
        starts_at: iso(5),
        ends_at: iso(9),
        reason: '',
      }),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('shows the refusal of an override where it was asked for', async () => {
    server.use(
      http.post('*/v1/schedules/s1/overrides', () =>
        HttpResponse.json({ message: 'An override of the past changes nothing.' }, { status: 400 }),
      ),
    );
    show();
    const [final] = await screen.findAllByRole('button', { name: /^Jonas Okafor, Until/ });
    if (!final) throw new Error('a shift expected');
    await userEvent.click(final);
    await userEvent.click(await screen.findByRole('button', { name: 'I take it' }));
    expect(await screen.findByText('An override of the past changes nothing.')).toBeInTheDocument();
  });

  it('shows no shift of the schedule before while the one that was chosen is on its way', async () => {
    server.use(http.get('*/v1/schedules/s2/timeline', () => delay('infinite')));
    show();
    expect(await screen.findAllByRole('button', { name: /^Jonas Okafor, / })).not.toEqual([]);
    await userEvent.click((await inTable('Schedules')).getByRole('button', { name: 'Holiday' }));
    expect(await screen.findByRole('heading', { name: /^Holiday UTC/ })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /^Jonas Okafor, / })).toBeNull();
  });

  it('says that days load only where what is there does not reach, and covers no gap then', async () => {
    show();
    expect(await screen.findByRole('button', { name: 'Cover this gap' })).toBeInTheDocument();
    server.use(http.get('*/v1/schedules/s1/timeline', () => delay('infinite')));
    const later = screen.getByRole('button', { name: 'Later' });
    await userEvent.click(later);
    expect(await screen.findByRole('grid')).toHaveAttribute('aria-busy', 'false');
    expect(screen.queryByText('Some of these days are still loading.')).toBeNull();
    // It covers 30 days beyond the week.
    for (let week = 2; week <= 5; week += 1) await userEvent.click(later);
    expect(screen.getByText('Some of these days are still loading.')).toBeInTheDocument();
    expect(await screen.findByRole('grid')).toHaveAttribute('aria-busy', 'true');
    expect(screen.queryByRole('button', { name: 'Cover this gap' })).toBeNull();
  });

  it('keeps the schedule with its open form when somebody makes one that stands before it', async () => {
    renderRoute('/', Board);
    await userEvent.click(await screen.findByRole('button', { name: 'Add override' }));
    await userEvent.type(await screen.findByLabelText(/^Reason/), 'Concert');
    const others = screen.getByText('Others change it');
    await userEvent.click(others);
    expect(screen.getByLabelText(/^Reason/)).toHaveValue('Concert');
    // It is deleted.
    await userEvent.click(others);
    expect(screen.getByRole('heading', { name: /^A new one UTC/ })).toBeInTheDocument();
  });

  it('asks who is covered where nobody is on call', async () => {
    schedules = [holiday];
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Add override' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Cover one person' }));
    const covered = screen.getByLabelText('Instead of');
    expect(covered).toHaveDisplayValue('Choose who is covered');
    expect(covered).toBeInvalid();
    await userEvent.selectOptions(covered, 'Jonas Okafor');
    expect(covered).toBeValid();
  });

  it('lists rotations with their cadence, and overrides with who and instead of whom', async () => {
    overrides = [
      {
        id: 'o1',
        schedule: { id: 's1', name: 'Night Shift' },
        kind: 'cover',
        user: mara,
        replaces_user: jonas,
        starts_at: iso(20),
        ends_at: iso(24),
        reason: 'Concert',
      },
    ];
    show();
    await userEvent.click(await screen.findByRole('tab', { name: 'Rotations' }));
    const rotations = await inTable('Rotations');
    expect(rotations.getByText('Every day at 20:00')).toBeInTheDocument();
    expect(await rotations.findByText('Jonas Okafor')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('tab', { name: 'Overrides' }));
    const table = await inTable('Overrides');
    for (const words of ['Mara Lindqvist', 'Jonas Okafor', 'Night Shift', 'Concert']) {
      expect(table.getByText(words)).toBeInTheDocument();
    }
  });

  it('lets a viewer look, and says who may do more', async () => {
    signIn('viewer');
    show();
    expect(await screen.findByText(/Responders take over shifts/)).toBeInTheDocument();
    for (const name of ['Create Schedule', 'Edit Holiday']) {
      expect(screen.queryByRole('link', { name })).toBeNull();
    }
    expect(screen.queryByRole('button', { name: 'Add override' })).toBeNull();
  });

  it('explains what a schedule is while there is none', async () => {
    schedules = [];
    show();
    expect(await screen.findByText(/No schedule yet/)).toBeInTheDocument();
  });

  it('says when the list could not be loaded, and tries again', async () => {
    server.use(http.get('*/v1/schedules', () => HttpResponse.json({}, { status: 500 }), { once: true }));
    show();
    expect(await screen.findByText('Failed to load schedules')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('table', { name: 'Schedules' })).toBeInTheDocument();
  });
});
