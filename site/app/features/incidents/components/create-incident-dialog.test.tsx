import { cleanup, fireEvent, screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { endSession, startSession } from '~/lib/session-change';
import { renderRoute } from '../../../../testing/render-route';
import { server } from '../../../../testing/server';
import { CreateIncidentDialog } from './create-incident-dialog';

const mara = { user: { id: 'u1', org_id: 'o1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };

beforeEach(() => {
  sessionStorage.clear();
  startSession(mara);
  server.use(http.get('*/v1/services', () => HttpResponse.json({ services: [] })));
});

function open() {
  cleanup();
  renderRoute('/', () => <CreateIncidentDialog onClose={() => undefined} />);
  return [screen.getByLabelText('Title'), screen.getByLabelText(/^Description/)] as const;
}

it.each([
  ['is there when a session ended and the same person signs in', () => endSession('expired'), 'The disk'],
  ['is gone after a logout', () => endSession('signed-out'), ''],
  ['is gone when it was closed', () => fireEvent.click(screen.getByRole('button', { name: 'Close' })), ''],
])('what is half written %s', (_, happens, left) => {
  for (const field of open()) fireEvent.change(field, { target: { value: 'The disk' } });
  happens();
  startSession(mara);
  for (const field of open()) expect(field).toHaveValue(left);
});
