import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { type Hours, office } from '~/lib/time/week';
import { HoursEditor } from './hours-editor';

function Kept({ start }: { start: readonly Hours[] }) {
  const [hours, setHours] = useState(start);
  return <HoursEditor hours={hours} onChange={setHours} />;
}

const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

it('takes with a row what was typed in it, and keeps what was typed in others', () => {
  render(<Kept start={[office, office, office]} />);
  type('Hours 1: from', '25:00');
  type('Hours 3: from', '26:00');
  press('Remove hours 1');
  expect(screen.getByLabelText('Hours 1: from')).toHaveValue(office.from);
  expect(screen.getByLabelText('Hours 2: from')).toHaveValue('26:00');
  press('Add hours');
  expect(screen.getByLabelText('Hours 3: from')).toHaveValue(office.from);
});
