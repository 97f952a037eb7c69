import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Tooltip, useTooltip } from './tooltip';

function Shift({ onEscape }: { onEscape?: () => void }) {
  const tip = useTooltip();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it stands for whatever closes by Escape around it.
    <div onKeyDown={onEscape}>
      <span data-testid="wrapper" {...tip.wrapper}>
        <button type="button" onClick={tip.hide}>
          Mara
        </button>
        {tip.shown && <Tooltip>Until Monday</Tooltip>}
      </span>
    </div>
  );
}

const tip = () => screen.queryByText('Until Monday');
const wrapper = () => screen.getByTestId('wrapper');

it('comes with the mouse, not with a finger, and goes with it', async () => {
  render(<Shift />);
  await userEvent.pointer({ keys: '[TouchA]', target: wrapper() });
  expect(tip()).toBeNull();
  await userEvent.hover(wrapper());
  expect(tip()).toBeInTheDocument();
  await userEvent.unhover(wrapper());
  expect(tip()).toBeNull();
});

it('goes with Escape while only the mouse is on it, and Escape does nothing else', async () => {
  const onEscape = vi.fn();
  render(<Shift onEscape={onEscape} />);
  await userEvent.hover(wrapper());
  expect(tip()).toBeInTheDocument();
  await userEvent.keyboard('{Escape}');
  expect(tip()).toBeNull();
  act(() => screen.getByRole('button').focus());
  expect(tip()).toBeInTheDocument();
  await userEvent.keyboard('{Escape}');
  expect(tip()).toBeNull();
  expect(onEscape).not.toHaveBeenCalled();
  await userEvent.keyboard('{Escape}');
  expect(onEscape).toHaveBeenCalledOnce();
});

it('comes with the focus of a keyboard, and goes with it or with a press', async () => {
  render(<Shift />);
  await userEvent.tab();
  expect(tip()).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button'));
  expect(tip()).toBeNull();
  act(() => screen.getByRole('button').blur());
  expect(tip()).toBeNull();
});
