import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { later, useAhead } from './later';

function Form({ name }: { name: string }) {
  const [text, setText] = useState('');
  return <input aria-label={name} value={text} onChange={(event) => setText(event.target.value)} />;
}

// What the browser does when it rests is done when the test says so.
let rest: () => void;
beforeEach(() => {
  const asked: (() => void)[] = [];
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => asked.push(callback));
  vi.stubGlobal('cancelIdleCallback', () => undefined);
  rest = () => {
    for (const callback of asked.splice(0)) callback();
  };
  return () => vi.unstubAllGlobals();
});

const form = (load: () => Promise<typeof Form>) => later('The form', load);

function Page({ part: Part }: { part: ReturnType<typeof form> }) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('Reason');
  useAhead(Part);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <button type="button" onClick={() => setName('Cause')}>
        Rename
      </button>
      {open && <Part name={name} />}
    </>
  );
}

it('is there at the press when the page has rested before', async () => {
  const load = vi.fn(async () => Form);
  render(<Page part={form(load)} />);
  expect(load).not.toHaveBeenCalled();
  rest();
  await load.mock.results[0]?.value;
  screen.getByRole('button', { name: 'Open' }).click();
  // In the same turn: nothing is waited for, and nothing else is shown first.
  await Promise.resolve();
  expect(screen.getByRole('textbox', { name: 'Reason' })).toBeVisible();
  expect(load).toHaveBeenCalledOnce();
});

it('comes when it has come, and keeps what was typed when the page draws it again', async () => {
  const user = userEvent.setup();
  let arrive: (form: typeof Form) => void = () => undefined;
  const coming = new Promise<typeof Form>((resolve) => {
    arrive = resolve;
  });
  render(<Page part={form(() => coming)} />);
  await user.click(screen.getByRole('button', { name: 'Open' }));
  expect(screen.queryByRole('textbox')).toBeNull();
  arrive(Form);
  await user.type(await screen.findByRole('textbox', { name: 'Reason' }), 'swap');
  await user.click(screen.getByRole('button', { name: 'Rename' }));
  expect(screen.getByRole('textbox', { name: 'Cause' })).toHaveValue('swap');
});

it('says that it could not come, and comes when it is asked for again', async () => {
  const user = userEvent.setup();
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const load = vi
    .fn<() => Promise<typeof Form>>()
    .mockRejectedValueOnce(new TypeError('offline'))
    .mockRejectedValueOnce(new TypeError('offline'))
    .mockResolvedValue(Form);
  render(<Page part={form(load)} />);
  rest();
  await user.click(screen.getByRole('button', { name: 'Open' }));
  expect(await screen.findByText('The form could not be shown.')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('textbox', { name: 'Reason' })).toBeVisible();
});
