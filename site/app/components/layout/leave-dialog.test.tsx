import { act, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { createMemoryRouter, Link, RouterProvider } from 'react-router';
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
      <Link to="/list">List</Link>
      {question}
    </>
  );
}

async function press(dirty: boolean, name = 'Logout') {
  logout.mockClear();
  const pages = [
    { path: '/', element: <Page dirty={dirty} /> },
    { path: '/list', element: <p>The list</p> },
  ];
  render(<RouterProvider router={createMemoryRouter(pages)} />);
  await userEvent.click(screen.getByText(name));
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

it('asks before a link, and stays or follows it', async () => {
  await press(true, 'List');
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  await userEvent.click(screen.getByText('List'));
  await userEvent.click(screen.getByRole('button', { name: 'Leave without saving' }));
  expect(screen.getByText('The list')).toBeInTheDocument();
});

function Saved() {
  const [saving, setSaving] = useState(true);
  const letGo = useLeaveGuard(true, saving);
  const { leave, question } = useAskedFirst();
  return (
    <>
      <button type="button" onClick={() => leave(logout)}>
        Logout
      </button>
      <Link to="/list">List</Link>
      <button type="button" onClick={() => setSaving(false)}>
        It fails
      </button>
      <button type="button" onClick={() => letGo()}>
        It is stored
      </button>
      {question}
    </>
  );
}

async function pressWhileSaving(name: string) {
  logout.mockClear();
  const pages = [
    { path: '/', element: <Saved /> },
    { path: '/list', element: <p>The list</p> },
  ];
  render(<RouterProvider router={createMemoryRouter(pages)} />);
  await userEvent.click(screen.getByText(name));
  expect(screen.getByRole('dialog', { name: 'Leave while it is saved?' })).toBeInTheDocument();
}

it('says that leaving does not stop a save, until that fails', async () => {
  await pressWhileSaving('Logout');
  fireEvent.click(screen.getByText('It fails'));
  expect(screen.getByRole('dialog', { name: 'Leave without saving?' })).toBeInTheDocument();
});

it('goes where the reader was asked about once all is stored', async () => {
  await pressWhileSaving('Logout');
  fireEvent.click(screen.getByText('It is stored'));
  expect(logout).toHaveBeenCalledOnce();
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('follows the link that it asked about once all is stored', async () => {
  await pressWhileSaving('List');
  fireEvent.click(screen.getByText('It is stored'));
  expect(await screen.findByText('The list')).toBeInTheDocument();
});

it('is gone at once when it was answered, also while the router is still about it', async () => {
  await press(true, 'List');
  const leave = screen.getByRole('button', { name: 'Leave without saving' });
  act(() => {
    flushSync(() => leave.click());
    expect(leave.isConnected).toBe(false);
  });
  expect(await screen.findByText('The list')).toBeInTheDocument();
});
