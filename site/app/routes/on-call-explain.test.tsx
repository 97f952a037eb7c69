import type { ExplainResponseJson, ListServicesResponseJson, ListUsersResponseJson } from '@nightbell/proto';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import OnCallExplain from './on-call-explain';

let asked: string[];

beforeEach(() => {
  signIn();
  asked = [];
  server.use(
    http.get('*/v1/explain', ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query.toString());
      return reply<ExplainResponseJson>({
        at: '2026-11-21T12:00:00Z',
        escalation_policy: { id: 'p1', name: 'Payments' },
        summary: `Mara, because it is ${query.get('severity')}.`,
        hold_ends_at: '2026-11-21T13:00:00Z',
        hold_reason: 'Upgrade',
        moments: [
          {
            at: '2026-11-21T12:00:00Z',
            step: 1,
            outcome: 'skipped',
            message: 'Nobody is on call.',
          },
          {
            at: '2026-11-21T12:00:00Z',
            step: 2,
            outcome: 'paged',
            pages: [{ user: { id: 'u1', name: 'Mara' }, why: { sentence: 'On call for Night.' } }],
          },
        ],
      });
    }),
    http.get('*/v1/services', () =>
      reply<ListServicesResponseJson>({ services: [{ id: 's1', name: 'Checkout API' }] }),
    ),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [] })),
  );
});

const show = (query = '') => renderRoute('/oncall/explain', OnCallExplain, `/oncall/explain${query}`);

describe('who would be paged', () => {
  it('answers the question of the address', async () => {
    show('?service=s1&severity=low&at=2026-11-21T12:00:00Z');
    expect(await screen.findByText('Mara, because it is low.')).toBeInTheDocument();
    expect(asked).toEqual(['service_id=s1&severity=low&at=2026-11-21T12%3A00%3A00.000Z']);
    expect(await screen.findByRole('option', { name: 'Checkout API', selected: true })).toBeInTheDocument();
    for (const words of [
      'Step 1, skipped',
      'Nobody is on call.',
      'On call for Night.',
      'No usable contact method',
    ])
      expect(screen.getByText(words)).toBeInTheDocument();
    expect(screen.getByText('Maintenance holds these pages')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Payments' })).toHaveAttribute('href', '/oncall/policies/p1');
  });

  it('asks again when the question changes', async () => {
    show();
    await userEvent.selectOptions(await screen.findByLabelText('Severity'), 'high');
    expect(await screen.findByText('Mara, because it is high.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Pick' }));
    await waitFor(() => expect(asked.at(-1)).toMatch(/^severity=high&at=20/));
  });

  it('shows no answer to the question before while it asks', async () => {
    show();
    expect(await screen.findByText('Mara, because it is critical.')).toBeInTheDocument();
    server.use(http.get('*/v1/explain', () => delay('infinite')));
    await userEvent.selectOptions(screen.getByLabelText('Severity'), 'high');
    expect(await screen.findByText('Loading the answer')).toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'Answer' })).toBeNull();
  });

  it('says why there is no answer, and asks again', async () => {
    server.use(
      http.get(
        '*/v1/explain',
        () => HttpResponse.json({ message: 'The database is away.' }, { status: 503 }),
        { once: true },
      ),
    );
    show();
    expect(await screen.findByText('The database is away.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Mara, because it is critical.')).toBeInTheDocument();
  });
});
