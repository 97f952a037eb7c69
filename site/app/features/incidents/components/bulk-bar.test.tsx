import { act, fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { toIncident } from '../model/incident';
import { BulkBar } from './bulk-bar';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

const selected = ['a', 'b'].map((id) => toIncident({ id, status: 'triggered', severity: 'low' }));

it.each([
  ['some', 0, 'Acknowledge 2'],
  ['all', 5, 'Acknowledge all 5'],
])('sends one request for a double click on %s, and another one after the answer', async (_, more, name) => {
  call.mockReset();
  signIn();
  call.mockResolvedValue({ results: [] });
  renderRoute('/', () => (
    <BulkBar selected={selected} unacknowledged={more} onDone={() => {}} onClear={() => {}} />
  ));
  const press = () => fireEvent.click(screen.getByRole('button', { name }));
  await act(async () => [press(), press()]);
  expect(call).toHaveBeenCalledTimes(1);
  await act(async () => press());
  expect(call).toHaveBeenCalledTimes(2);
});
