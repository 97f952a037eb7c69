import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { StayUpdated } from './stay-updated';

vi.mock('~/data/enquiries', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

it('says what to do when what sends could not be loaded', async () => {
  render(<StayUpdated />);
  await userEvent.type(screen.getByLabelText('Email'), 'reader@example.com');
  await userEvent.click(screen.getByRole('button', { name: 'Subscribe' }));
  expect(
    await screen.findByText('That could not be loaded. Check the network, then reload this page.'),
  ).toBeInTheDocument();
});
