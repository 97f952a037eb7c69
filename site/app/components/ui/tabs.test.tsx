import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { Tabs } from './tabs';

const tabs = [
  { value: 'configure', word: 'Configure' },
  { value: 'test', word: 'Test', disabled: true },
  { value: 'guide', word: 'Setup Guide' },
] as const;

function Example() {
  const [value, setValue] = useState<'configure' | 'test' | 'guide'>('configure');
  return (
    <Tabs label="Slack" tabs={tabs} value={value} onChoose={setValue}>
      View of {value}
    </Tabs>
  );
}

it('moves with the arrows, around the ends and over what is disabled', async () => {
  render(<Example />);
  await userEvent.click(screen.getByRole('tab', { name: 'Configure' }));
  await userEvent.keyboard('{ArrowRight}');
  expect(screen.getByRole('tab', { name: 'Setup Guide' })).toHaveFocus();
  expect(screen.getByRole('tabpanel', { name: 'Setup Guide' })).toHaveTextContent('View of guide');
  await userEvent.keyboard('{ArrowRight}');
  expect(screen.getByRole('tab', { name: 'Configure' })).toHaveFocus();
  await userEvent.keyboard('{End}{Home}');
  expect(screen.getByRole('tab', { name: 'Configure' })).toHaveAttribute('aria-selected', 'true');
});
