import type {
  DeleteEscalationPolicyResponseJson,
  EscalationPolicyJson,
  GetEscalationPolicyResponseJson,
  ListContactMethodsResponseJson,
  ListOnCallResponseJson,
  ListSchedulesResponseJson,
  ListServicesResponseJson,
  ListTeamsResponseJson,
  ListUsersResponseJson,
  UpdateEscalationPolicyResponseJson,
} from '@nightbell/proto';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import OnCallPolicy from './on-call-policy';
import OnCallPolicyNew from './on-call-policy-new';

const stored = {
  id: 'p1',
  name: 'Payments',
  timezone: 'Europe/Berlin',
  etag: 'e1',
  repeat_count: 1,
  steps: [
    { id: 'one', delay_seconds: 300, targets: [{ kind: 'schedule', id: 's1', name: '24/7 Support' }] },
    {
      delay_seconds: 600,
      severities: ['critical'],
      targets: [{ kind: 'user', id: 'u2', name: 'Jonas Okafor' }],
    },
  ],
} satisfies EscalationPolicyJson;
let saved: { method: string; body: Record<string, unknown> }[];

beforeEach(() => {
  signIn();
  saved = [];
  const save = async ({ request }: { request: Request }) => {
    const body = (await request.json()) as Record<string, unknown>;
    saved.push({ method: request.method, body });
    return reply<UpdateEscalationPolicyResponseJson>({ escalation_policy: { ...stored, ...body } });
  };
  server.use(
    http.get('*/v1/escalation-policies/p1', () =>
      reply<GetEscalationPolicyResponseJson>({ escalation_policy: stored }),
    ),
    http.patch('*/v1/escalation-policies/p1', save),
    http.post('*/v1/escalation-policies', save),
    http.get('*/v1/users', () =>
      reply<ListUsersResponseJson>({ users: [{ id: 'u2', name: 'Jonas Okafor' }] }),
    ),
    http.get('*/v1/schedules', () =>
      reply<ListSchedulesResponseJson>({ schedules: [{ id: 's1', name: '24/7 Support' }] }),
    ),
    http.get('*/v1/teams', () => reply<ListTeamsResponseJson>({ teams: [{ id: 't1', name: 'Platform' }] })),
    http.get('*/v1/contact-methods', () =>
      reply<ListContactMethodsResponseJson>({
        contact_methods: [{ id: 'c1', name: '#incidents', shared: true }],
      }),
    ),
    http.get('*/v1/on-call', () =>
      reply<ListOnCallResponseJson>({
        on_call: [{ schedule: { id: 's1' }, current: { users: [{ name: 'Mara' }] } }],
      }),
    ),
    http.get('*/v1/services', () =>
      reply<ListServicesResponseJson>({
        services: [{ id: 'x', name: 'Checkout API', escalation_policy_id: 'p1' }],
      }),
    ),
  );
});

const show = () => renderRoute('/oncall/policies/:id', OnCallPolicy, '/oncall/policies/p1');
const stepNames = () =>
  screen.getAllByRole('list', { name: 'Pages: chosen' }).map((list) => list.textContent?.trim());

describe('a policy', () => {
  it('says what it means, who is on call now, and who uses it', async () => {
    show();
    expect(await screen.findByText(/^Pages 24\/7 Support at once, then Jonas Okafor/)).toHaveTextContent(
      'after 5 min (critical only).',
    );
    expect(await screen.findByText('Mara now')).toBeInTheDocument();
    expect(screen.getByText('Every severity reaches a step at every hour.')).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: 'Who would be paged for Checkout API?' })).toHaveAttribute(
      'href',
      '/oncall/explain?service=x',
    );
    expect(screen.queryByRole('button', { name: 'Save policy' })).toBeNull();
  });

  it('names its last resort, and when nobody is paged', async () => {
    show();
    const last = await screen.findByLabelText('Last resort, when nobody has answered');
    expect(last).toHaveValue('owners');
    await userEvent.selectOptions(last, 'target');
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    expect(await screen.findByText('Choose whom the last resort pages.')).toBeInTheDocument();
    await userEvent.type(screen.getByRole('combobox', { name: 'The last resort pages' }), 'plat{Enter}');
    await userEvent.click(screen.getByRole('button', { name: 'Add quiet time' }));
    expect(screen.getByText('Pages nobody for low incidents.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]?.body).toMatchObject({
      last_resort: 'target',
      last_resort_target: { kind: 'team', id: 't1' },
      quiet: [{ severities: ['low'], windows: [] }],
      steps: [{ id: 'one' }, { id: '' }],
    });
  });

  it('is changed, moved, and stored as a whole', async () => {
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Move step 2 up' }));
    expect(stepNames()[0]).toContain('Jonas Okafor');
    expect(screen.getByText('Now step 1 of 2.')).toBeInTheDocument();
    const pages = screen.getAllByRole('combobox', { name: 'Pages' });
    await userEvent.type(pages[0] as HTMLElement, 'plat{Enter}');
    await userEvent.click(screen.getAllByRole('button', { name: 'One in turn' })[0] as HTMLElement);
    const wait = screen.getByRole('spinbutton', { name: 'Waits before step 2: number' });
    await userEvent.clear(wait);
    await userEvent.type(wait, '2');
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]).toMatchObject({
      method: 'PATCH',
      body: {
        name: 'Payments',
        steps: [
          {
            delay_seconds: 120,
            assignment: 'round_robin',
            severities: ['critical'],
            targets: [
              { kind: 'user', id: 'u2' },
              { kind: 'team', id: 't1' },
            ],
          },
          { targets: [{ kind: 'schedule', id: 's1' }] },
        ],
      },
    });
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Save policy' })).toBeNull());
  });

  it('shows its holes while they are made', async () => {
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Remove step 1' }));
    expect(screen.getByText('No step is for high, medium and low incidents.')).toBeInTheDocument();
    expect(screen.getByText('Then the owners of the workspace are paged.')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Remove step 1' })).toBeDisabled();
    await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
    expect(stepNames()).toHaveLength(2);
  });

  it('shows the durations that are stored after Discard and Take theirs', async () => {
    show();
    const wait = await screen.findByRole('spinbutton', { name: 'Waits before step 2: number' });
    const after = screen.getByRole('combobox', { name: /resolve after: unit/ });
    await userEvent.clear(wait);
    await userEvent.type(wait, '60');
    await userEvent.selectOptions(after, 'days');
    expect(wait).toHaveValue(60);
    await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
    expect(wait).toHaveValue(5);
    expect(after).toHaveDisplayValue('Never');

    await userEvent.selectOptions(after, 'days');
    server.use(
      http.patch('*/v1/escalation-policies/p1', () => HttpResponse.json({}, { status: 412 })),
      http.get('*/v1/escalation-policies/p1', () =>
        reply<GetEscalationPolicyResponseJson>({
          escalation_policy: { ...stored, etag: 'e2', auto_resolve_seconds: 7200, name: 'Theirs' },
        }),
      ),
    );
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Take theirs' }));
    expect(await screen.findByDisplayValue('Theirs')).toBeInTheDocument();
    expect(after).toHaveDisplayValue('hours');
    expect(screen.getByRole('spinbutton', { name: /resolve after: number/ })).toHaveValue(2);
  });

  it('is kept on top of what somebody else changed meanwhile', async () => {
    show();
    const name = await screen.findByRole('textbox', { name: 'Name' });
    await userEvent.type(name, ' 2');
    const asked: (string | null)[] = [];
    let stale = true;
    server.use(
      http.patch('*/v1/escalation-policies/p1', ({ request }) => {
        asked.push(request.headers.get('If-Match'));
        if (!stale) return reply<UpdateEscalationPolicyResponseJson>({ escalation_policy: { id: 'p1' } });
        stale = false;
        return HttpResponse.json({ code: 'etag_mismatch', message: 'Changed.' }, { status: 412 });
      }),
      http.get('*/v1/escalation-policies/p1', () =>
        reply<GetEscalationPolicyResponseJson>({
          escalation_policy: { ...stored, etag: 'e2', description: 'Theirs' },
        }),
      ),
    );
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Somebody else changed this while');
    await userEvent.click(screen.getByRole('button', { name: 'Keep mine on top' }));
    expect(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('Payments 2');
    expect(screen.getByRole('textbox', { name: /Description/ })).toHaveValue('Theirs');
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    await waitFor(() => expect(asked).toEqual(['"e1"', '"e2"']));
  });

  it('keeps what was written when the server refuses', async () => {
    server.use(
      http.patch('*/v1/escalation-policies/p1', () =>
        HttpResponse.json({ message: 'There is a policy of this name already.' }, { status: 409 }),
      ),
    );
    show();
    await userEvent.type(await screen.findByLabelText('Name'), ' 2');
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('There is a policy of this name already.');
    expect(screen.getByLabelText('Name')).toHaveValue('Payments 2');
  });

  it('is deleted after a question, unless the server refuses', async () => {
    server.use(
      http.delete('*/v1/escalation-policies/p1', () =>
        HttpResponse.json({ message: 'Checkout API uses this policy.' }, { status: 409 }),
      ),
    );
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    await userEvent.click(screen.getByRole('button', { name: 'Delete policy' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Checkout API uses this policy.');
    server.use(
      http.delete('*/v1/escalation-policies/p1', () => reply<DeleteEscalationPolicyResponseJson>({})),
    );
    await userEvent.click(screen.getByRole('button', { name: 'Delete policy' }));
    expect(await screen.findByText('Another page')).toBeInTheDocument();
  });

  it('is only read by those who may not write', async () => {
    startSession({ user: { name: 'Vera', role: 'responder' }, accessToken: 'a', refreshToken: 'r' });
    show();
    expect(await screen.findByText('waits 5 min')).toBeInTheDocument();
    expect(screen.queryByRole('combobox')).toBeNull();
    expect(screen.queryByRole('button', { name: /Delete|Save/ })).toBeNull();
  });

  it('that does not exist is said so', async () => {
    server.use(http.get('*/v1/escalation-policies/p1', () => HttpResponse.json({}, { status: 404 })));
    show();
    expect(await screen.findByText('Escalation policy not found')).toBeInTheDocument();
  });
});

describe('a new policy', () => {
  it('is stored once it has a name and somebody to page', async () => {
    renderRoute('/oncall/policies/new', OnCallPolicyNew);
    await userEvent.type(await screen.findByLabelText(/^Description/), 'For the night');
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    expect(screen.getByText('Give the policy a name.')).toBeInTheDocument();
    expect(screen.getByText('Choose whom this step pages.')).toBeInTheDocument();
    expect(saved).toHaveLength(0);
    await userEvent.type(screen.getByLabelText('Name'), 'Night');
    await userEvent.type(screen.getByRole('combobox', { name: 'Pages' }), '#inc{Enter}');
    const conditions = screen.getByText('every severity, at any time').closest('details') as HTMLElement;
    await userEvent.click(within(conditions).getByRole('checkbox', { name: 'Low', hidden: true }));
    await userEvent.click(within(conditions).getByRole('button', { name: 'Limit to hours', hidden: true }));
    const from = within(conditions).getByRole('textbox', { name: 'Hours: from', hidden: true });
    await userEvent.clear(from);
    await userEvent.type(from, '730');
    await userEvent.click(screen.getByRole('button', { name: 'Save policy' }));
    expect(await screen.findByText('Another page')).toBeInTheDocument();
    expect(saved[0]).toMatchObject({
      method: 'POST',
      body: {
        name: 'Night',
        description: 'For the night',
        steps: [
          {
            severities: ['critical', 'high', 'medium'],
            windows: [{ days: expect.arrayContaining(['monday', 'friday']), from: '07:30', to: '17:00' }],
            targets: [{ kind: 'channel', id: 'c1' }],
          },
        ],
      },
    });
  });
});
