import { act, render, screen } from '@testing-library/react';
import { useRef } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { useSettledPress, useTop } from './settled-press';

const acted = vi.fn();
let top: number;

function List() {
  const body = useRef<HTMLDivElement>(null);
  const settled = useSettledPress('acknowledge', useTop(body));
  return (
    <div ref={body}>
      <button type="button" onClick={settled(acted)}>
        Acknowledge
      </button>
    </div>
  );
}

beforeEach(async () => {
  acted.mockClear();
  top = 100;
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(() => new DOMRect(0, top));
  render(<List />);
  // The place where it stands first counts as a move.
  await act(() => new Promise((done) => setTimeout(done, 350)));
});

// A click of a thumb; a key has clicked zero times.
const press = (detail = 1) =>
  screen
    .getByRole('button')
    .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail }));

/** Lets something come above the list, and gives what observes the page its turn, but no task after it. */
async function move(by: number, come: () => void = () => document.body.prepend('A bar')) {
  top += by;
  come();
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
}

const rendered = () => act(() => new Promise((done) => setTimeout(done, 50)));

it('a press that waited while something came above the list does not count, and the next one does', async () => {
  await move(40);
  press();
  expect(acted).not.toHaveBeenCalled();
  await act(() => new Promise((done) => setTimeout(done, 350)));
  press();
  expect(acted).toHaveBeenCalledOnce();
});

it.each([
  ['words above it became longer', () => (document.body.firstChild as Text).appendData(' of words')],
  ['the window became narrower', () => void window.dispatchEvent(new Event('resize'))],
])('nor does one while %s', async (_, come) => {
  document.body.prepend('A bar');
  await move(0, () => {});
  await move(20, come);
  press();
  expect(acted).not.toHaveBeenCalled();
});

it('the rounding of what is scrolled by part of a pixel holds nothing back', async () => {
  await move(1);
  await rendered();
  press();
  expect(acted).toHaveBeenCalledOnce();
});

it('a key presses the button that has the focus, wherever it has moved', async () => {
  await move(40);
  await rendered();
  press(0);
  expect(acted).toHaveBeenCalledOnce();
});
