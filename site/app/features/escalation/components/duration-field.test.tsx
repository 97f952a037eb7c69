import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { saysNoTime } from '~/components/ui/time-field';
import { DurationField } from './duration-field';

function Form({ canBeNever }: { canBeNever: boolean }) {
  const [seconds, setSeconds] = useState(14_400);
  return (
    <form aria-label="Policy" noValidate>
      <DurationField label="After" seconds={seconds} canBeNever={canBeNever} onChange={setSeconds} />
      <p>{seconds} s</p>
    </form>
  );
}

it('asks for a length or for never when it was emptied', async () => {
  render(<Form canBeNever />);
  const number = screen.getByLabelText<HTMLInputElement>('After: number');
  expect(saysNoTime(screen.getByRole('form'))).toBe(false);
  await userEvent.clear(number);
  expect(number.validationMessage).toBe('Give a length, or choose Never.');
  expect(saysNoTime(screen.getByRole('form'))).toBe(true);
  await userEvent.type(number, '6');
  expect(screen.getByText('21600 s')).toBeInTheDocument();
  expect(saysNoTime(screen.getByRole('form'))).toBe(false);
  await userEvent.clear(number);
  await userEvent.selectOptions(screen.getByLabelText('After: unit'), 'Never');
  expect(screen.getByText('0 s')).toBeInTheDocument();
  expect(saysNoTime(screen.getByRole('form'))).toBe(false);
});

it('leaves what cannot be never to the rules of its form', async () => {
  render(<Form canBeNever={false} />);
  await userEvent.clear(screen.getByLabelText('After: number'));
  expect(saysNoTime(screen.getByRole('form'))).toBe(false);
});
