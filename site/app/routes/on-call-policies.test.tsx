import type {
  EscalationPolicyJson,
  ListEscalationPoliciesResponseJson,
  ListUsersResponseJson,
} from '@nightbell/proto';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import OnCallPolicies from './on-call-policies';

const policy = (n: number) =>
  ({
    id: `p${n}`,
    name: `Policy ${String(n).padStart(4, '0')}`,
    is_default: n === 1,
    used_by: n === 1 ? ['Checkout API', 'B', 'C', 'D'].map((name) => ({ id: name, name })) : [],
    repeat_count: 2,
    steps: [
      { delay_seconds: 300, targets: [{ kind: 'schedule', id: 's1', name: '24/7 Support' }] },
      { delay_seconds: 600, targets: [{ kind: 'user', id: 'u2', name: n === 2 ? 'Jonas' : 'Mara' }] },
    ],
  }) satisfies EscalationPolicyJson;
const answer = (count: number) =>
  server.use(
    http.get('*/v1/escalation-policies', () =>
      reply<ListEscalationPoliciesResponseJson>({
        escalation_policies: Array.from({ length: count }, (_, i) => policy(i + 1)),
      }),
    ),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [] })),
  );
const show = () => renderRoute('/oncall/policies', OnCallPolicies);

beforeEach(signIn);

describe('the policies', () => {
  it('show who is paged after how long, and who uses them', async () => {
    answer(2);
    show();
    const row = await screen.findByRole('row', { name: /Policy 0001/ });
    for (const words of ['At once', '24/7 Support', '5 min', 'Mara', '15 min', '2 more times', 'Default'])
      expect(row).toHaveTextContent(words);
    expect(row).toHaveTextContent('Checkout API, B, C, 1 more, services without a policy');
  });

  it('are drawn a hundred at a time, and found while typing', async () => {
    answer(1000);
    show();
    expect(await screen.findAllByRole('row')).toHaveLength(101);
    await userEvent.click(screen.getByRole('button', { name: 'Show 100 more of 900' }));
    expect(screen.getAllByRole('row')).toHaveLength(201);
    await userEvent.type(screen.getByRole('searchbox'), 'jonas');
    expect(await screen.findByText('1 of 1000')).toBeInTheDocument();
    await userEvent.type(screen.getByRole('searchbox'), ' the unknown');
    expect(await screen.findByText('No policy with these words.')).toBeInTheDocument();
  });

  it('say what happens without one, and how to make one', async () => {
    answer(0);
    show();
    expect(await screen.findByText(/^No policy yet/)).toHaveTextContent('page the owners of the workspace');
    expect(screen.getAllByRole('link', { name: 'Create policy' })).toHaveLength(2);
  });

  it('cannot be created by viewers', async () => {
    startSession({ user: { name: 'Vera', role: 'viewer' }, accessToken: 'a', refreshToken: 'r' });
    answer(0);
    show();
    await screen.findByText(/^No policy yet/);
    expect(screen.queryByRole('link', { name: 'Create policy' })).toBeNull();
  });

  it('can be asked for again when they did not come', async () => {
    server.use(http.get('*/v1/escalation-policies', () => HttpResponse.json({}, { status: 503 })));
    show();
    expect(await screen.findByText(/^Failed to fetch escalation policies/)).toBeInTheDocument();
    answer(1);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('row', { name: /Policy 0001/ })).toBeInTheDocument();
  });
});
