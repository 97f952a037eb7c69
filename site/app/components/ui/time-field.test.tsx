import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { DateTimeField, TimeField } from './time-field';

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

it('keeps what is no time out of the value', async () => {
  onChange.mockClear();
  render(<TimeField label="Handover at" value="20:00" onChange={onChange} />);
  const field = screen.getByLabelText('Handover at');
  await userEvent.clear(field);
  await userEvent.type(field, 'x');
  await userEvent.tab();
  expect(onChange).not.toHaveBeenCalled();
  expect(field).toHaveValue('20:00');
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
