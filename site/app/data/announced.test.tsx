import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import * as changes from './incident-changes';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

const seen = { id: 'x-c41e', severity: 'low', status: 'triggered', acknowledgedAt: null, escalation: null };

function Page({ use }: { use: () => () => void }) {
  const press = use();
  return (
    <>
      <button type="button" onClick={press}>
        Press
      </button>
      <p data-announced data-testid="heard" />
    </>
  );
}

const mutate =
  <T,>(useIt: () => { mutate: (choice: T) => void }, choice: T) =>
  () => {
    const { mutate } = useIt();
    return () => mutate(choice);
  };

it.each([
  ['Acknowledged', mutate(changes.useChangeIncident, { verb: 'acknowledge', incident: seen } as const)],
  ['Reassigned', mutate(() => changes.useAssignIncident('x-c41e'), '')],
  ['Snoozed', mutate(() => changes.useSnoozeIncident(seen), 60)],
  ['Changed the severity of', mutate(() => changes.useChangeSeverity('x-c41e'), 'high')],
  ['Subscribed to', mutate(() => changes.useSubscribe('x-c41e'), '')],
  [
    'Escalated',
    () => {
      const { escalate } = changes.useEscalateIncident();
      return () => escalate(seen);
    },
  ],
])('says aloud that it is done: %s', async (words, use) => {
  call.mockResolvedValue({ incident: { id: 'x-c41e', title: 'Down' } });
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Page use={use} />
    </QueryClientProvider>,
  );
  await act(async () => fireEvent.click(screen.getByRole('button')));
  await waitFor(() => expect(screen.getByTestId('heard')).toHaveTextContent(`${words} #c41e`));
});
