import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, it, vi } from 'vitest';
import { useLeaveGuard } from '~/lib/leave-guard';
import { useAskedFirst } from './leave-dialog';

const logout = vi.fn();

function Page({ dirty }: { dirty: boolean }) {
  useLeaveGuard(dirty);
  const { leave, question } = useAskedFirst();
  return (
    <>
      <button type="button" onClick={() => leave(logout)}>
        Logout
      </button>
      {question}
    </>
  );
}

async function press(dirty: boolean) {
  logout.mockClear();
  render(<RouterProvider router={createMemoryRouter([{ path: '/', element: <Page dirty={dirty} /> }])} />);
  await userEvent.click(screen.getByRole('button', { name: 'Logout' }));
}

it('goes at once when nothing is lost', async () => {
  await press(false);
  expect(logout).toHaveBeenCalledOnce();
});

it('asks first when something is not stored, and stays or goes as it is told', async () => {
  await press(true);
  expect(logout).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(logout).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Logout' }));
  await userEvent.click(screen.getByRole('button', { name: 'Leave without saving' }));
  expect(logout).toHaveBeenCalledOnce();
  expect(screen.queryByRole('dialog')).toBeNull();
});
