import { act, render, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { dismissToast, toast } from '~/lib/toast';
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

it('stands inside the modal dialog, where it can be pressed and heard, and outlives it', () => {
  const { rerender } = render(page(true));
  const region = within(screen.getByRole('dialog')).getByRole('status');
  expect(region).toBeEmptyDOMElement();
  act(() => toast({ kind: 'failure', title: 'Failed to acknowledge incident', retry: () => undefined }));
  expect(within(region).getByRole('button', { name: 'Retry' })).toBeInTheDocument();
  expect(screen.getAllByText('Failed to acknowledge incident')).toHaveLength(1);
  rerender(page(false));
  expect(screen.getByText('Failed to acknowledge incident')).toBeInTheDocument();
  act(dismissToast);
});
