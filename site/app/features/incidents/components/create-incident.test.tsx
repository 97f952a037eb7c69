import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { renderRoute } from '../../../../testing/render-route';
import { CreateIncidentDialog } from './create-incident';

const network = vi.hoisted(() => ({ up: false }));
vi.mock('./create-incident-dialog', () => ({
  get CreateIncidentDialog() {
    if (!network.up) throw new TypeError('Failed to fetch dynamically imported module');
    return () => <input aria-label="Title" />;
  },
}));

it('stands at once, says when the form could not come, and has it at the next press', async () => {
  renderRoute('/', () => {
    const [creating, setCreating] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setCreating(true)}>
          Create Incident
        </button>
        {creating && <CreateIncidentDialog onClose={() => setCreating(false)} />}
      </>
    );
  });
  const press = () => fireEvent.click(screen.getByText('Create Incident', { selector: 'button' }));
  press();
  expect(screen.getByRole('dialog', { name: 'Create Incident' })).toBeVisible();
  expect(await screen.findByText('The form could not be shown.')).toBeVisible();
  expect(screen.queryByRole('dialog')).toBeNull();
  network.up = true;
  press();
  expect(await screen.findByLabelText('Title')).toBeVisible();
});
