import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { dismissTried, toast } from '~/lib/toast';
import { Dialog } from './dialog';
import { Toaster } from './toaster';

const page = (open: boolean) => (
  <>
    <Toaster />
    {open && (
      <Dialog title="Assign incident" saving={false} onClose={() => undefined}>
        <p>Who has it?</p>
      </Dialog>
    )}
  </>
);
const title = 'Failed to acknowledge incident';
const fail = (name: string, retry = vi.fn()) => {
  act(() => toast({ kind: 'failure', title, name, tried: `acknowledge ${name}`, retry }));
  return retry;
};
const names = () => screen.queryAllByText(/^#/).map(({ textContent }) => textContent);
const press = (name: string, of: string) => {
  const message = screen.getByText(of).closest<HTMLElement>('[data-kind]');
  if (message) fireEvent.click(within(message).getByRole('button', { name }));
};

afterEach(() => vi.useRealTimers());

it('stands inside the modal dialog, where it can be pressed and heard, and outlives it', () => {
  const { rerender } = render(page(true));
  const region = within(screen.getByRole('dialog')).getByRole('status');
  expect(region).toBeEmptyDOMElement();
  fail('#c41e');
  expect(within(region).getByRole('button', { name: 'Retry' })).toBeInTheDocument();
  expect(screen.getAllByText(title)).toHaveLength(1);
  rerender(page(false));
  expect(screen.getByText(title)).toBeInTheDocument();
});

it('keeps the Retry of each failure beside that of another', () => {
  render(<Toaster />);
  const first = fail('#c41e');
  const second = fail('#9a07');
  press('Retry', '#c41e');
  expect(first).toHaveBeenCalledOnce();
  expect(second).not.toHaveBeenCalled();
  expect(names()).toEqual(['#9a07']);
});

it('takes no failure away when something else worked', () => {
  vi.useFakeTimers();
  render(<Toaster />);
  fail('#c41e');
  act(() => toast({ kind: 'success', title: 'Copied to clipboard' }));
  act(() => toast({ kind: 'success', title: 'Profile saved.' }));
  expect(screen.queryByText('Copied to clipboard')).toBeNull();
  expect(names()).toEqual(['#c41e']);
  act(() => vi.advanceTimersByTime(5000));
  expect(screen.queryByText('Profile saved.')).toBeNull();
  expect(names()).toEqual(['#c41e']);
});

it('shows the three newest and counts the others, which come back as those are closed', () => {
  render(<Toaster />);
  for (const name of ['#0001', '#0002', '#0003', '#0004', '#0005']) fail(name);
  expect(names()).toEqual(['#0003', '#0004', '#0005']);
  expect(screen.getByText('2 more failures. Close one to see them.')).toBeInTheDocument();
  press('Close message', '#0005');
  expect(screen.getByText('1 more failure. Close one to see it.')).toBeInTheDocument();
  press('Close message', '#0004');
  expect(names()).toEqual(['#0001', '#0002', '#0003']);
  expect(screen.queryByText(/more failure/)).toBeNull();
});

it('says the same failure once, announced again each time, and not once it worked', () => {
  render(<Toaster />);
  fail('#c41e');
  const before = screen.getByText('#c41e');
  fail('#c41e');
  expect(names()).toEqual(['#c41e']);
  // A text that stays is not read aloud again.
  expect(before).not.toBeInTheDocument();
  act(() => dismissTried('acknowledge #c41e'));
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
});

it('adds to what stands, so that only what is new is read aloud', () => {
  render(<Toaster />);
  fail('#c41e');
  const before = screen.getByText('#c41e');
  fail('#9a07');
  expect(before).toBeInTheDocument();
  expect(screen.getByRole('status')).toHaveAttribute('aria-atomic', 'false');
});
