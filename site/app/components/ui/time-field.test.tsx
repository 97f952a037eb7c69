import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type FormEvent, useState } from 'react';
import { expect, it, vi } from 'vitest';
import { DateTimeField, saysNoTime, TimeField } from './time-field';

const onChange = vi.fn();

function Kept({ start }: { start: string }) {
  const [value, setValue] = useState(start);
  onChange.mockImplementation(setValue);
  return <DateTimeField label="From" name="from" value={value} onChange={onChange} />;
}

it('shows and takes 24 hours, whatever the reader has set', async () => {
  render(<TimeField label="Handover at" value="20:00" onChange={onChange} />);
  const field = screen.getByLabelText('Handover at');
  expect(field).toHaveValue('20:00');
  await userEvent.clear(field);
  await userEvent.type(field, '2230');
  expect(onChange).toHaveBeenLastCalledWith('22:30');
});

it.each(['7pm', '25:00', '24:00'])('sends no form while "%s" stands in it, and says why', async (text) => {
  const [onChange, onSubmit] = [vi.fn(), vi.fn((event: FormEvent) => event.preventDefault())];
  render(
    <form onSubmit={onSubmit}>
      <TimeField label="Handover at" value="20:00" onChange={onChange} />
      <button type="submit">Save</button>
    </form>,
  );
  const field = screen.getByLabelText<HTMLInputElement>('Handover at');
  await userEvent.clear(field);
  await userEvent.type(field, `${text}{Enter}`);
  await userEvent.click(screen.getByText('Save'));
  expect(onSubmit).not.toHaveBeenCalled();
  expect(field).toHaveValue(text);
  expect(field.validationMessage).toBe(
    text === '24:00' ? 'Midnight is 00:00 of the day that begins.' : 'A time such as 19:30.',
  );
  expect(saysNoTime(field.form as HTMLFormElement)).toBe(true);
  await userEvent.clear(field);
  await userEvent.type(field, '0:00');
  expect(onChange).toHaveBeenLastCalledWith('00:00');
  expect(field).toBeValid();
});

it('takes 24:00 for the end of a day', async () => {
  const onChange = vi.fn();
  render(<TimeField label="To" endsDay value="20:00" onChange={onChange} />);
  await userEvent.clear(screen.getByLabelText('To'));
  await userEvent.type(screen.getByLabelText('To'), '24:00');
  expect(onChange).toHaveBeenLastCalledWith('00:00');
});

it('shows what it was again when it is left empty', async () => {
  onChange.mockClear();
  render(<TimeField label="Handover at" value="20:00" onChange={onChange} />);
  await userEvent.clear(screen.getByLabelText('Handover at'));
  await userEvent.tab();
  expect(onChange).not.toHaveBeenCalled();
  expect(screen.getByLabelText('Handover at')).toHaveValue('20:00');
});

it('is no time without its date, and keeps the clock beside it', async () => {
  const { container } = render(<Kept start="2026-03-28T20:00" />);
  const date = screen.getByLabelText('From: date');
  await userEvent.clear(date);
  expect(onChange).toHaveBeenLastCalledWith('');
  expect(screen.getByLabelText('From: time')).toHaveValue('20:00');
  expect(container.querySelector('input[name="from"]')).toHaveValue('');
  await userEvent.type(date, '2026-03-29');
  expect(onChange).toHaveBeenLastCalledWith('2026-03-29T20:00');
});

it('shows the value that is set for it after its date was emptied', () => {
  const at = (value: string) => <DateTimeField label="From" name="from" value={value} onChange={onChange} />;
  const { rerender, container } = render(at('2026-03-28T20:00'));
  fireEvent.change(screen.getByLabelText('From: date'), { target: { value: '' } });
  rerender(at(''));
  expect(screen.getByLabelText('From: time')).toHaveValue('20:00');
  rerender(at('2026-03-30T09:15'));
  expect(screen.getByLabelText('From: date')).toHaveValue('2026-03-30');
  expect(screen.getByLabelText('From: time')).toHaveValue('09:15');
  expect(container.querySelector('input[name="from"]')).toHaveValue('2026-03-30T09:15');
});

it('shows nothing that was typed for another value, and takes no afternoon for a morning', async () => {
  const onChange = vi.fn();
  const { rerender } = render(<TimeField label="From" value="09:00" onChange={onChange} />);
  const field = screen.getByLabelText<HTMLInputElement>('From');
  await userEvent.clear(field);
  await userEvent.type(field, '10:30 pm');
  expect(field).toHaveValue('10:30 pm');
  expect(field).toBeInvalid();
  rerender(<TimeField label="From" value="13:00" onChange={onChange} />);
  expect(field).toHaveValue('13:00');
  expect(field).toBeValid();
});

it('is unfolded to say what is wrong with it', () => {
  const onChange = vi.fn();
  render(
    <form aria-label="Policy">
      <details>
        <summary>Applies to</summary>
        <TimeField label="From" value="09:00" onChange={onChange} />
      </details>
    </form>,
  );
  const field = screen.getByLabelText<HTMLInputElement>('From');
  expect(saysNoTime(screen.getByRole('form'))).toBe(false);
  expect(field.closest('details')?.open).toBe(false);
  fireEvent.change(field, { target: { value: '25:00' } });
  expect(saysNoTime(screen.getByRole('form'))).toBe(true);
  expect(field.closest('details')?.open).toBe(true);
});
