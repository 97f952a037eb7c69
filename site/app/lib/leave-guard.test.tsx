import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { createMemoryRouter, RouterProvider, useBlocker } from 'react-router';
import { describe, expect, it } from 'vitest';
import { holdsBackFrom, letGo, useLeaveGuard } from './leave-guard';

function Editor({ dirty }: { dirty: boolean }) {
  useLeaveGuard(dirty);
  const [, draw] = useState(0);
  return (
    <button type="button" onClick={() => draw((times) => times + 1)}>
      Editor, {useBlocker(holdsBackFrom).state}
    </button>
  );
}

function open(dirty: boolean) {
  const router = createMemoryRouter(
    [
      { path: '/', element: <Editor dirty={dirty} /> },
      { path: '/list', element: <p>List</p> },
    ],
    { initialEntries: ['/'] },
  );
  render(<RouterProvider router={router} />);
  return router;
}

describe('the guard of unsaved changes', () => {
  it('lets everybody pass while there are none', async () => {
    const router = open(false);
    await act(() => router.navigate('/list'));
    expect(screen.getByText('List')).toBeInTheDocument();
  });

  it('holds back whoever would lose them, but not on the same page', async () => {
    const router = open(true);
    await act(() => router.navigate('/?range=week'));
    expect(screen.getByText('Editor, unblocked')).toBeInTheDocument();
    await act(() => router.navigate('/list'));
    expect(screen.getByText('Editor, blocked')).toBeInTheDocument();
    const closing = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(closing);
    expect(closing.defaultPrevented).toBe(true);
  });

  it('lets go of what is stored or deleted', async () => {
    const router = open(true);
    letGo();
    await act(() => router.navigate('/list'));
    expect(screen.getByText('List')).toBeInTheDocument();
    const closing = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(closing);
    expect(closing.defaultPrevented).toBe(false);
  });
  it('holds back again once the editor is drawn with changes that are not stored', async () => {
    const router = open(true);
    letGo();
    fireEvent.click(screen.getByText(/Editor/));
    await act(() => router.navigate('/list'));
    expect(screen.getByText('Editor, blocked')).toBeInTheDocument();
  });
});
