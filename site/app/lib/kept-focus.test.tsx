import { act, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useKeptFocus } from './kept-focus';

interface PageProps {
  busy?: boolean;
  buttons?: readonly string[];
  asks?: boolean;
  choosing?: boolean;
}

function Page({ busy = false, buttons = ['Acknowledge', 'Resolve'], asks, choosing = false }: PageProps) {
  const place = useKeptFocus<HTMLDivElement>(busy);
  return (
    <main tabIndex={-1}>
      <div ref={place}>
        {buttons.map((name) => (
          <button key={name} type="button" disabled={busy}>
            {name}
          </button>
        ))}
        {asks && (
          <dialog open>
            <button type="button" disabled={choosing}>
              Jonas
            </button>
            <button type="button">Nobody</button>
          </dialog>
        )}
      </div>
    </main>
  );
}

const focus = (name: string) => act(() => screen.getByRole('button', { name }).focus());
// A browser takes it from a button that is disabled; jsdom takes it only from one that is not.
const lose = () =>
  act(() => {
    const button = document.activeElement as HTMLButtonElement;
    button.disabled = false;
    button.blur();
    button.disabled = true;
  });

it('goes back to the button that was pressed once it is enabled again', () => {
  const { rerender } = render(<Page />);
  focus('Acknowledge');
  rerender(<Page busy />);
  lose();
  rerender(<Page />);
  expect(screen.getByRole('button', { name: 'Acknowledge' })).toHaveFocus();
});

it('goes on at the button that stands there in its place, also when that comes only later', () => {
  const { rerender } = render(<Page buttons={['Assign', 'Acknowledge']} />);
  focus('Acknowledge');
  rerender(<Page buttons={['Assign', 'Acknowledge']} busy />);
  lose();
  rerender(<Page buttons={['Assign', 'Acknowledge']} />);
  rerender(<Page buttons={['Assign', 'Resolve']} />);
  expect(screen.getByRole('button', { name: 'Resolve' })).toHaveFocus();
});

it('leaves the focus to a dialog of the place, also once that is closed', () => {
  const { rerender } = render(<Page />);
  focus('Acknowledge');
  rerender(<Page busy />);
  lose();
  rerender(<Page />);
  rerender(<Page asks />);
  focus('Jonas');
  rerender(<Page asks choosing />);
  expect(screen.getByRole('button', { name: 'Nobody' })).not.toHaveFocus();
  lose();
  rerender(<Page />);
  expect(document.body).toHaveFocus();
});
