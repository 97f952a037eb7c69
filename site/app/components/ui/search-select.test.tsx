import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { type Choice, matching, SearchSelect } from './search-select';

const choices: Choice[] = [
  { id: 'u1', word: 'Mara Lindqvist', group: 'People' },
  { id: 'u2', word: 'Jonas Okafor', group: 'People' },
  { id: 's1', word: '24/7 Support', group: 'Schedules', icon: 'oncall' },
];

describe('what matches', () => {
  it('begins with the text before it merely contains it, and leaves out what is chosen', () => {
    const all = [...choices, { id: 'u3', word: 'Okafor Tobi', group: 'People' }];
    expect(matching(all, [], 'oka').map(({ id }) => id)).toEqual(['u3', 'u2']);
    expect(matching(choices, [choices[1] as Choice], '').map(({ id }) => id)).toEqual(['u1', 's1']);
    expect(matching(choices, [], 'schedules').map(({ id }) => id)).toEqual(['s1']);
  });
});

function Field() {
  const [chosen, setChosen] = useState<readonly Choice[]>([]);
  return (
    <>
      <SearchSelect label="Who" choices={choices} chosen={chosen} onChange={setChosen} />
      <output>{chosen.map(({ word }) => word).join(', ')}</output>
    </>
  );
}

describe('the field', () => {
  it('is worked with the keyboard alone', async () => {
    render(<Field />);
    await userEvent.tab();
    const input = screen.getByRole('combobox', { name: 'Who' });
    expect(input).toHaveFocus();
    expect(input).toHaveAttribute('aria-expanded', 'false');
    await userEvent.keyboard('{ArrowDown}{ArrowDown}');
    expect(screen.getByRole('option', { name: 'Jonas Okafor' })).toHaveAttribute('aria-selected', 'true');
    await userEvent.keyboard('{Enter}24{Enter}');
    expect(screen.getByRole('status')).toHaveTextContent('Jonas Okafor, 24/7 Support');
    await userEvent.keyboard('{Backspace}');
    expect(screen.getByRole('status')).toHaveTextContent(/^Jonas Okafor$/);
    await userEvent.keyboard('zzz');
    expect(screen.getByText('Nothing by that name.')).toBeInTheDocument();
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('listbox')).toBeNull();
  });

  it('is worked with the mouse alone', async () => {
    render(<Field />);
    await userEvent.click(screen.getByRole('combobox'));
    await userEvent.click(screen.getByRole('option', { name: 'Mara Lindqvist' }));
    expect(screen.getByRole('status')).toHaveTextContent('Mara Lindqvist');
    await userEvent.click(screen.getByRole('button', { name: 'Remove Mara Lindqvist' }));
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
  });
});
