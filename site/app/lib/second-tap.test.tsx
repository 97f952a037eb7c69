import { render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { useSecondTap } from './second-tap';

const acted = vi.fn();
let now = 0;
// What lies at a point, as the page is at present.
let under: () => Element | null;

function Page() {
  useSecondTap();
  return null;
}

beforeEach(() => {
  acted.mockClear();
  now = 10_000;
  vi.spyOn(Event.prototype, 'timeStamp', 'get').mockImplementation(() => now);
  document.body.innerHTML = '';
  add('Open');
  document.elementFromPoint = () => under();
  render(<Page />);
});

/** Puts a button of this name in the place of what was there. */
function add(name: string) {
  document.querySelector('button')?.remove();
  const button = document.createElement('button');
  button.textContent = name;
  button.onclick = () => acted(name);
  under = () => button;
  document.body.append(button);
  return turn();
}

const turn = () => new Promise((done) => setTimeout(done));

function tap(x = 100, detail = 1) {
  const at = { bubbles: true, cancelable: true, clientX: x, clientY: 100, detail };
  const button = screen.getByRole('button');
  if (detail > 0) button.dispatchEvent(new MouseEvent('pointerdown', at));
  button.dispatchEvent(new MouseEvent('click', at));
  return acted.mock.calls.flat();
}

it('the second tap does not press what came in the place of the first, until that was there for a moment', async () => {
  expect(tap()).toEqual(['Open']);
  now += 100;
  await add('Acknowledge');
  now += 600;
  expect(tap(110)).toEqual(['Open']);
  // Whoever hammers still means the first.
  now += 300;
  expect(tap()).toEqual(['Open']);
  now += 750;
  expect(tap()).toEqual(['Open', 'Acknowledge']);
});

it('nor when that came only after a while, as on a slow network', async () => {
  tap();
  now += 3000;
  document.querySelector('button')?.remove();
  under = () => document.body;
  await turn();
  now += 3000;
  await add('Acknowledge');
  now += 600;
  expect(tap()).toEqual(['Open']);
});

it('in a storm, what comes there again and again does not hold a press back for ever', async () => {
  tap();
  for (let n = 0; n < 4; n++) {
    now += 250;
    await add(`Row ${n}`);
  }
  expect(tap()).toEqual(['Open', 'Row 3']);
});

it('a key presses it at once, and so does a thumb elsewhere', async () => {
  tap();
  await add('Acknowledge');
  expect(tap(100, 0)).toEqual(['Open', 'Acknowledge']);
  expect(tap(140)).toHaveLength(3);
});

it.each(['wheel', 'keydown'])('a %s brings something else there, and a press means that', async (type) => {
  tap();
  window.dispatchEvent(new Event(type));
  await add('Acknowledge');
  expect(tap()).toEqual(['Open', 'Acknowledge']);
});

it('the same button is pressed as often as one likes', () => {
  tap();
  tap();
  expect(tap()).toEqual(['Open', 'Open', 'Open']);
});
