import { fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ApiError } from '~/lib/api';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { toIncident } from '../model/incident';
import { IncidentActions } from './incident-actions';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

function show(status: 'acknowledged' | 'resolved') {
  signIn();
  const incident = toIncident({ id: 'i', status, severity: 'low', assignee: { id: 'u', name: 'Jonas' } });
  renderRoute('/', () => <IncidentActions incident={incident} />);
}

it('assigns nobody to an incident that is over', () => {
  show('resolved');
  expect(screen.getByRole('button', { name: 'Assign' })).toBeDisabled();
  fireEvent.keyDown(document.body, { key: 'm' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('says why nobody could be assigned in the words of the server', async () => {
  const detail = 'The incident is resolved.';
  call.mockImplementation(async ({ method }) => {
    if (method === 'GET') return { users: [] };
    throw new ApiError('Failed to assign incident: Conflict', 409, detail);
  });
  show('acknowledged');
  fireEvent.click(screen.getByRole('button', { name: 'Assign' }));
  fireEvent.click(await screen.findByText('Nobody'));
  expect(await screen.findByText(detail)).toBeInTheDocument();
});
