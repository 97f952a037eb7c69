import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { incidentKeys } from '~/data/keys';
import { createQueryClient } from '~/lib/query-client';
import { signIn } from '../../../../testing/render-route';
import { toIncident } from '../model/incident';
import { IncidentEvidence } from './incident-evidence';

const call = vi.hoisted(() => vi.fn());
const chunk = vi.hoisted((): { come?: () => void } => ({}));
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));
vi.mock('./report-card', async () => {
  await new Promise<void>((come) => (chunk.come = come));
  interface Props {
    report: { language: string };
    stale?: boolean;
  }
  return {
    ReportCard: ({ report, stale }: Props) => (
      <p>
        Error of {report.language}
        {stale && ', an earlier one'}
      </p>
    ),
  };
});

const incident = toIncident({ id: 'i', status: 'triggered', severity: 'low' });
let alerts: object[];
let lost: string;

beforeEach(() => {
  signIn();
  [alerts, lost] = [[], ''];
  call.mockReset();
  call.mockImplementation(async ({ path }: { path: string }) => {
    // Slow enough to be seen.
    await new Promise((done) => setTimeout(done, 30));
    if (lost !== '' && path.includes(lost)) throw new Error('lost');
    if (path.includes('/alerts/')) return { alert: {}, report: { language: path.split('/').at(-1) } };
    if (path.includes('/alerts')) return { alerts, total_count: alerts.length };
    return { entries: [], notifications: [] };
  });
});

/** Shows it, with something begun in the box, and the way to ask again for all of it. */
async function typing() {
  const client = createQueryClient();
  client.setDefaultOptions({ queries: { retry: false } });
  render(
    <QueryClientProvider client={client}>
      <IncidentEvidence incident={incident} />
    </QueryClientProvider>,
  );
  const box = await screen.findByLabelText('Add a comment');
  act(() => box.focus());
  fireEvent.change(box, { target: { value: 'We h' } });
  // Each of the answers may come while somebody types.
  const stays = async (until: () => unknown) => {
    void client.refetchQueries({ queryKey: incidentKeys.one('i') });
    await waitFor(() => {
      expect(box).toBeVisible();
      expect(box).toHaveFocus();
      until();
    });
    expect(box).toBeVisible();
    expect(box).toHaveFocus();
  };
  return stays;
}

it('leaves the box to whoever types while another alert becomes the reported one', async () => {
  const stays = await typing();
  alerts = [{ id: 'a1', status: 'firing', has_report: true }];
  // Its code is asked for once it is to be drawn.
  await stays(() => expect(chunk.come).toBeDefined());
  await act(async () => chunk.come?.());
  await stays(() => expect(screen.getByText('Error of a1')).toBeVisible());
  alerts = [{ id: 'a2', status: 'firing', has_report: true }, ...alerts];
  await stays(() => expect(screen.getByText('Error of a1, an earlier one')).toBeVisible());
  await stays(() => expect(screen.getByText('Error of a2')).toBeVisible());
  alerts = [];
  await stays(() => expect(screen.queryByText(/Error of/)).toBeNull());
});

it.each(['/timeline', '/notifications'])('leaves it there while %s is asked for again', async (part) => {
  lost = part;
  const stays = await typing();
  lost = '';
  await stays(() => undefined);
  await act(() => new Promise((done) => setTimeout(done, 100)));
  await stays(() => undefined);
});
