import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useKeys } from './keys';

const run = vi.fn();

function Page({ field = true }) {
  useKeys([
    { keys: 'a', word: 'Acknowledge', section: 'On an incident', run },
    { keys: 'j', word: 'Next row', section: 'In a list', held: true, run },
  ]);
  return field ? <textarea /> : null;
}

/** Types into the field, which then goes, and gives the time of that key. */
function typeAndLose(key: string): number {
  run.mockClear();
  const { rerender } = render(<Page />);
  const typed = new KeyboardEvent('keydown', { key, bubbles: true });
  fireEvent(screen.getByRole('textbox'), typed);
  rerender(<Page field={false} />);
  return typed.timeStamp;
}

function press(at: number, key = 'a'): void {
  const event = new KeyboardEvent('keydown', { key, bubbles: true });
  Object.defineProperty(event, 'timeStamp', { value: at });
  fireEvent(document.body, event);
}

it('the rest of a word whose field went away is no command, however long it is', () => {
  const at = typeAndLose('w');
  for (const after of [100, 900, 1700]) press(at + after);
  expect(run).not.toHaveBeenCalled();
  press(at + 2800);
  expect(run).toHaveBeenCalledOnce();
});

it.each(['Enter', 'Escape'])('a field that %s has sent away holds no key back', (key) => {
  press(typeAndLose(key) + 100);
  expect(run).toHaveBeenCalledOnce();
});

it('a sentence whose field went away is no command to its end', () => {
  const at = typeAndLose('w');
  for (const [n, key] of [...'it was the last disk again'].entries()) press(at + 400 * (n + 1), key);
  expect(run).not.toHaveBeenCalled();
});

it('who presses one key for three seconds means the page', () => {
  const at = typeAndLose('w');
  for (const after of [800, 1600, 2400]) press(at + after);
  expect(run).not.toHaveBeenCalled();
  press(at + 3100);
  expect(run).toHaveBeenCalledOnce();
});

it('a key that is held does its action once, and moves on and on', () => {
  run.mockClear();
  render(<Page field={false} />);
  for (const repeat of [false, true, true]) fireEvent.keyDown(document.body, { key: 'a', repeat });
  expect(run).toHaveBeenCalledOnce();
  for (const repeat of [false, true, true]) fireEvent.keyDown(document.body, { key: 'j', repeat });
  expect(run).toHaveBeenCalledTimes(4);
});
