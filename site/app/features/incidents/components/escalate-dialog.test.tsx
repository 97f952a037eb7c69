import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { toIncident } from '../model/incident';
import { EscalateDialog } from './escalate-dialog';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

const at = (step: number, whom: string) =>
  toIncident({ id: 'i', status: 'triggered', severity: 'high', escalation: { step, next_targets: [whom] } });

function Page() {
  const [incident, setIncident] = useState(at(1, 'Jonas'));
  return (
    <>
      <EscalateDialog incident={incident} onClose={() => undefined} />
      <button type="button" onClick={() => setIncident(at(2, 'Mara'))}>
        Go on
      </button>
    </>
  );
}

const page = () => fireEvent.click(screen.getByRole('button', { name: 'Page now' }), { detail: 1 });

it('pages nobody whose name came under a press on its way, and says that paging went on', async () => {
  signIn();
  call.mockResolvedValue({ incident: { id: 'i' } });
  renderRoute('/', Page);
  expect(screen.getByText('Jonas')).toBeInTheDocument();
  fireEvent.click(screen.getByText('Go on'));
  expect(screen.getByText(/Paging went on while you read: it was to page Jonas/)).toBeInTheDocument();
  expect(screen.getByText('Mara')).toBeInTheDocument();
  page();
  expect(call).not.toHaveBeenCalled();
  await new Promise((read) => setTimeout(read, 750));
  page();
  await waitFor(() => expect(call).toHaveBeenCalledOnce());
});
