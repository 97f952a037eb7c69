import { createEvent, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ConfirmDialog } from './confirm-dialog';
import { Dialog } from './dialog';

const onClose = vi.fn();

function open(saving: boolean): HTMLDialogElement {
  onClose.mockClear();
  const page = (saving: boolean) => (
    <Dialog title="Snooze" saving={saving} onClose={onClose}>
      <p>For how long?</p>
    </Dialog>
  );
  const { rerender } = render(page(false));
  rerender(page(saving));
  return screen.getByRole('dialog');
}

/** What Escape, and Back on a phone, do to a native dialog. */
function cancel(dialog: HTMLElement): Event {
  const event = createEvent('cancel', dialog, { cancelable: true });
  fireEvent(dialog, event);
  return event;
}

const underWay = /Still under way/;

it('closes by Escape and by its button while nothing is saved', async () => {
  expect(cancel(open(false)).defaultPrevented).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(onClose).toHaveBeenCalledTimes(2);
  expect(screen.queryByText(underWay)).toBeNull();
});

it('stays open while it saves, and says so to whoever wants to close it', async () => {
  const dialog = open(true);
  expect(screen.queryByText(underWay)).toBeNull();
  expect(cancel(dialog).defaultPrevented).toBe(true);
  expect(screen.getByText(underWay)).toHaveAttribute('role', 'status');
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(onClose).not.toHaveBeenCalled();
});

it('opens again when a second Escape closed it past every listener', () => {
  const dialog = open(true);
  dialog.close();
  fireEvent(dialog, new Event('close'));
  expect(dialog.open).toBe(true);
  expect(onClose).not.toHaveBeenCalled();
});

it('has no way back while what was confirmed is being done', async () => {
  onClose.mockClear();
  render(
    <ConfirmDialog title="Merge" verb="Merge" doing="Merging..." back="Back" pending onClose={onClose}>
      This one ends.
    </ConfirmDialog>,
  );
  expect(screen.getByRole('button', { name: 'Back' })).toBeDisabled();
  cancel(screen.getByRole('dialog'));
  expect(onClose).not.toHaveBeenCalled();
  expect(screen.getByText(underWay)).toBeInTheDocument();
});
