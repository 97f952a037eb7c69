import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, Link, RouterProvider } from 'react-router';
import { expect, it, vi } from 'vitest';
import { keptDraft, useKeptDraft } from '~/lib/kept-draft';
import { useLeaveGuard } from '~/lib/leave-guard';
import { startSession } from '~/lib/session-change';
import { useAskedFirst } from './leave-dialog';

const logout = vi.fn();

const begun = { name: 'Nights' };

function Page({ dirty }: { dirty: boolean }) {
  useLeaveGuard(dirty);
  useKeptDraft('policy p1', dirty ? begun : null);
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

it('keeps nothing of what was given up for another organization', async () => {
  const inOrganization = (org_id: string) =>
    startSession({ user: { id: 'u1', org_id, name: 'Mara' }, accessToken: org_id, refreshToken: 'r' });
  inOrganization('o1');
  await press(true);
  expect(keptDraft('policy p1')).toEqual(begun);
  logout.mockImplementationOnce(() => inOrganization('o2'));
  await userEvent.click(screen.getByRole('button', { name: 'Leave without saving' }));
  cleanup();
  inOrganization('o1');
  expect(keptDraft('policy p1')).toBeNull();
});
