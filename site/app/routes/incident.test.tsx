import type {
  AcknowledgeIncidentResponseJson,
  AddCommentResponseJson,
  AssignIncidentResponseJson,
  EscalateIncidentResponseJson,
  GetIncidentResponseJson,
  IncidentJson,
  IncidentSummaryJson,
  ListIncidentAlertsResponseJson,
  ListIncidentsResponseJson,
  ListNotificationsResponseJson,
  ListServicesResponseJson,
  ListTimelineResponseJson,
  ListUsersResponseJson,
} from '@nightbell/proto';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Incident from './incident';

const triggered = new Date(Date.now() - 252_000).toISOString();
const incident = {
  id: 'x-c41e',
  title: 'Checkout failing',
  status: 'triggered',
  severity: 'critical',
  triggered_at: triggered,
  escalation: {
    status: 'active',
    escalation_policy: { id: 'p1', name: 'Night' },
    step: 1,
    step_count: 2,
    next_due_at: new Date(Date.now() + 48_000).toISOString(),
    next_targets: ['Jonas Okafor'],
  },
} satisfies IncidentJson;
let entries: object[];

beforeEach(() => {
  signIn();
  entries = [
    {
      id: 'e1',
      kind: 'declared',
      actor_kind: 'system',
      message: 'Declared from an alert of Checkout API.',
      at: triggered,
    },
  ];
  server.use(
    http.get('*/v1/incidents/x-c41e', () => reply<GetIncidentResponseJson>({ incident })),
    http.get('*/v1/incidents/x-c41e/timeline', () => reply<ListTimelineResponseJson>({ entries })),
    http.get('*/v1/incidents/x-c41e/notifications', () =>
      reply<ListNotificationsResponseJson>({ notifications: [] }),
    ),
    http.get('*/v1/incidents/x-c41e/alerts', () =>
      reply<ListIncidentAlertsResponseJson>({ alerts: [], total_count: 0 }),
    ),
    http.get('*/v1/users', () =>
      reply<ListUsersResponseJson>({ users: [{ id: 'u2', name: 'Jonas Okafor' }] }),
    ),
    http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services: [] })),
  );
});

const show = (id = 'x-c41e') => renderRoute('/incidents/:id', Incident, `/incidents/${id}`);

describe('the incident page', () => {
  it('answers the four questions and names who is next', async () => {
    show();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('#c41e Incident');
    expect(await screen.findByRole('heading', { level: 1, name: /Checkout failing/ })).toHaveTextContent(
      '#c41e - Checkout failing',
    );
    for (const words of ['Unassigned', 'Unknown Service', 'Triggered', 'Jonas Okafor', 'Policy: Night']) {
      expect(await screen.findByText(words)).toBeInTheDocument();
    }
    expect(screen.getByText(/^Opened 4 minutes ago by System$/)).toBeInTheDocument();
    expect(screen.getByText(/Step 2, in/)).toHaveTextContent('unless acknowledged');
    expect(await screen.findByText('Incident declared')).toBeInTheDocument();
  });

  it('does not say that whoever acknowledged it opened it', async () => {
    server.use(
      http.get('*/v1/incidents/x-c41e', () =>
        reply<GetIncidentResponseJson>({
          incident: { ...incident, status: 'acknowledged', acknowledged_by: { id: 'u1', name: 'Mara' } },
        }),
      ),
    );
    show();
    expect(await screen.findByText(/^Opened 4 minutes ago, acknowledged by Mara$/)).toBeInTheDocument();
  });

  it('names who declared it', async () => {
    server.use(
      http.get('*/v1/incidents/x-c41e', () =>
        reply<GetIncidentResponseJson>({
          incident: { ...incident, source: 'manual', created_by: { id: 'u1', name: 'Mara' } },
        }),
      ),
    );
    show();
    expect(await screen.findByText(/^Opened 4 minutes ago by Mara$/)).toBeInTheDocument();
  });

  it('posts a comment, and ignores a blank one', async () => {
    let posted = 0;
    server.use(
      http.post('*/v1/incidents/x-c41e/comments', async ({ request }) => {
        posted += 1;
        const { message } = (await request.json()) as { message: string };
        entries = [
          ...entries,
          { id: 'e2', kind: 'comment', actor_kind: 'user', actor: { name: 'Mara' }, message, at: triggered },
        ];
        return reply<AddCommentResponseJson>({ entry: entries[1] });
      }),
    );
    show();
    const box = await screen.findByLabelText('Add a comment');
    await userEvent.type(box, '   ');
    await userEvent.click(screen.getByRole('button', { name: 'Post' }));
    expect(posted).toBe(0);
    await userEvent.type(box, 'The pool is full.');
    await userEvent.click(screen.getByRole('button', { name: 'Post' }));
    expect(await screen.findByText('The pool is full.', { selector: 'p' })).toBeInTheDocument();
    await waitFor(() => expect(box).toHaveValue(''));
  });

  it('keeps a comment that could not be posted', async () => {
    server.use(http.post('*/v1/incidents/x-c41e/comments', () => HttpResponse.error()));
    show();
    const box = await screen.findByLabelText('Add a comment');
    await userEvent.type(box, 'Still here');
    await userEvent.click(screen.getByRole('button', { name: 'Post' }));
    expect(await screen.findByText(/^Network error/)).toBeInTheDocument();
    expect(box).toHaveValue('Still here');
  });

  it('asks before it wakes the next person', async () => {
    let escalated = false;
    server.use(
      http.post('*/v1/incidents/x-c41e/escalate', () => {
        escalated = true;
        return reply<EscalateIncidentResponseJson>({ incident });
      }),
    );
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Escalate' }));
    expect(screen.getByRole('dialog')).toHaveTextContent('This pages Jonas Okafor now');
    await userEvent.click(screen.getByRole('button', { name: 'Page now' }));
    await waitFor(() => expect(escalated).toBe(true));
  });

  it('acknowledges with the key a, but not while somebody types', async () => {
    let acknowledged = 0;
    server.use(
      http.post('*/v1/incidents/x-c41e/acknowledge', () => {
        acknowledged += 1;
        return reply<AcknowledgeIncidentResponseJson>({
          incident: { ...incident, status: 'acknowledged', acknowledged_by: { id: 'u1', name: 'Mara' } },
        });
      }),
    );
    show();
    await userEvent.type(await screen.findByLabelText('Add a comment'), 'a');
    expect(acknowledged).toBe(0);
    screen.getByLabelText('Add a comment').blur();
    await userEvent.keyboard('a');
    await waitFor(() => expect(acknowledged).toBe(1));
  });

  it('says that severity rose after it was acknowledged, and asks for that again', async () => {
    let acknowledged = 0;
    const rose = {
      ...incident,
      status: 'acknowledged',
      acknowledged_by: { id: 'u1', name: 'Mara' },
      acknowledged_severity: 'low',
      confirmation_wanted: true,
      escalation: { ...incident.escalation, status: 'stopped', next_due_at: undefined },
    } satisfies IncidentJson;
    server.use(
      http.get('*/v1/incidents/x-c41e', () => reply<GetIncidentResponseJson>({ incident: rose })),
      http.post('*/v1/incidents/x-c41e/acknowledge', () => {
        acknowledged += 1;
        Object.assign(rose, { acknowledged_severity: 'critical', confirmation_wanted: false });
        return reply<AcknowledgeIncidentResponseJson>({ incident: rose });
      }),
    );
    show();
    expect(await screen.findByRole('status', { name: 'Severity rose' })).toHaveTextContent(
      'Mara acknowledged this when it was low; it is critical now. Acknowledge it again, or its policy pages from the first step.',
    );
    expect(screen.queryByRole('button', { name: 'Resolve' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: /^Acknowledge again/ }));
    expect(await screen.findByRole('button', { name: 'Resolve' })).toBeEnabled();
    expect(screen.queryByRole('status', { name: 'Severity rose' })).toBeNull();
    expect(acknowledged).toBe(1);
  });

  it('says when there is no such incident', async () => {
    server.use(
      http.get('*/v1/incidents/nope', () => HttpResponse.json({}, { status: 404 })),
      http.get('*/v1/incidents/nope/alerts', () => HttpResponse.json({}, { status: 404 })),
    );
    show('nope');
    expect(await screen.findByText('Incident not found')).toBeInTheDocument();
  });
});

describe('assigning', () => {
  it('shows who was chosen while that is stored', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.use(
      http.get('*/v1/users', () =>
        reply<ListUsersResponseJson>({ users: ['Priya', 'Wei'].map((name) => ({ id: name, name })) }),
      ),
      http.post('*/v1/incidents/x-c41e/assign', async () => {
        await answered;
        return reply<AssignIncidentResponseJson>({ incident });
      }),
    );
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Assign' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Assign' }));
    await userEvent.click(await dialog.findByRole('button', { name: 'Wei' }));
    expect(dialog.getByRole('button', { name: 'Wei', busy: true })).toBeDisabled();
    expect(dialog.getByRole('button', { name: 'Priya', busy: false })).toBeDisabled();
    answer();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});

describe('merging', () => {
  it.each([
    ['manual', 'prometheus', true],
    ['api', 'event', true],
    ['manual', 'manual', false],
    ['prometheus', 'manual', false],
    ['prometheus', 'prometheus', false],
  ])('one of %s into one of %s says that this ends by itself: %s', async (source, into, says) => {
    const row = { id: 'x-77d0', title: 'Disk full', status: 'triggered' } satisfies IncidentSummaryJson;
    let read = false;
    server.use(
      http.get('*/v1/incidents/x-c41e', () =>
        reply<GetIncidentResponseJson>({ incident: { ...incident, source } }),
      ),
      http.get('*/v1/incidents', () => reply<ListIncidentsResponseJson>({ incidents: [row] })),
      http.get('*/v1/incidents/x-77d0', () => {
        read = true;
        return reply<GetIncidentResponseJson>({ incident: { ...row, source: into } });
      }),
    );
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Merge into another' }));
    await userEvent.click(await screen.findByRole('button', { name: /Disk full/ }));
    expect(await screen.findByText(/This cannot be undone/)).toBeVisible();
    await waitFor(() => expect(read).toBe(true));
    await act(() => new Promise((done) => setTimeout(done, 50)));
    expect(screen.queryByText(/resolves when its last alert ends, for both/) !== null).toBe(says);
  });
});
