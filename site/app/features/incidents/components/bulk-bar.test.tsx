import { act, fireEvent, screen, waitFor } from '@testing-library/react';
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

it('takes presses after a Retry came between', async () => {
  call.mockReset();
  signIn();
  const answers: ((answer: object) => void)[] = [];
  call.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  renderRoute('/', () => (
    <BulkBar selected={selected} unacknowledged={0} onDone={() => {}} onClear={() => {}} />
  ));
  const press = () => fireEvent.click(screen.getByRole('button', { name: 'Acknowledge 2' }));
  await act(async () => press());
  await act(async () => answers[0]?.({ results: [{ id: 'a', changed: false }] }));
  await act(async () => press());
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Retry' })));
  await act(async () => answers.map((answer) => answer({ results: [] })));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Acknowledge 2' })).toBeEnabled());
  const before = call.mock.calls.length;
  await act(async () => press());
  expect(call).toHaveBeenCalledTimes(before + 1);
});

it('never leaves the focus at Clear selection', async () => {
  call.mockReset();
  signIn();
  let answer = (_: object) => {};
  call.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  renderRoute('/', () => (
    <main tabIndex={-1}>
      <BulkBar selected={selected} unacknowledged={0} onDone={() => {}} onClear={() => {}} />
    </main>
  ));
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Acknowledge 2' });
  act(() => button.focus());
  await act(async () => fireEvent.click(button));
  await waitFor(() => expect(button).toBeDisabled());
  // A browser takes it from a button that is disabled; jsdom takes it only from one that is not.
  button.disabled = false;
  act(() => button.blur());
  button.disabled = true;
  await act(async () => answer({ results: [] }));
  await waitFor(() => expect(button).toHaveFocus());
});
