import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { timezones } from '~/lib/time/timezones';
import { ZoneField } from './zone-field';

const onChange = vi.fn();

it('offers the 13 usual zones first, in their order, and all others after', async () => {
  render(<ZoneField label="Time zone" value="Europe/Berlin" onChange={onChange} />);
  await userEvent.click(screen.getByRole('combobox', { name: 'Time zone' }));
  const usual = within(screen.getByRole('group', { name: 'Usual' })).getAllByRole('option');
  expect(usual.map((option) => option.textContent)).toEqual([...timezones]);
  const [first] = screen.getAllByRole('option');
  expect(first).toBe(usual[0]);
  expect(within(screen.getByRole('group', { name: 'All' })).getAllByRole('option').length).toBeGreaterThan(
    20,
  );
});

it('finds a zone by its place, and takes it in place of the one before', async () => {
  render(<ZoneField label="Time zone" value="Europe/Berlin" onChange={onChange} />);
  const field = screen.getByRole('combobox', { name: 'Time zone' });
  expect(field).toHaveValue('Europe/Berlin');
  await userEvent.tab();
  await userEvent.keyboard('sao paulo{Enter}');
  expect(onChange).toHaveBeenLastCalledWith('America/Sao_Paulo');
});

it('keeps its zone when nothing is chosen', async () => {
  render(<ZoneField label="Time zone" value="Mars/Olympus" onChange={onChange} />);
  const field = screen.getByRole('combobox', { name: 'Time zone' });
  await userEvent.type(field, 'nowhere');
  await userEvent.tab();
  expect(field).toHaveValue('Mars/Olympus');
});
