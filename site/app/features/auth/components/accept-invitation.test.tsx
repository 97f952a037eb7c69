import type { ReadInvitationResponseJson } from '@nightbell/proto';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, it } from 'vitest';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { AcceptInvitation } from './accept-invitation';

const invited = {
  email: 'ada@acme.example',
  org_name: 'Acme',
  role: 'viewer',
  has_account: true,
} satisfies ReadInvitationResponseJson;

it('does not call a link a dead one when the server is away, and reads it again', async () => {
  let away = true;
  server.use(
    http.post('*/v1/auth/invitation', () =>
      away
        ? HttpResponse.json({ message: 'The database is away.' }, { status: 503 })
        : reply<ReadInvitationResponseJson>(invited),
    ),
  );
  render(<AcceptInvitation token="nbi_1" onJoined={() => undefined} />);
  expect(await screen.findByRole('heading', { name: 'The invitation could not be read' })).toBeVisible();
  expect(screen.getByRole('alert')).toHaveTextContent('The database is away.');
  away = false;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'Join Acme' })).toBeVisible();
});

it('says why a link leads nowhere, and offers nothing that cannot help', async () => {
  server.use(
    http.post('*/v1/auth/invitation', () =>
      HttpResponse.json({ message: 'This invitation link is not known.' }, { status: 404 }),
    ),
  );
  render(<AcceptInvitation token="nbi_1" onJoined={() => undefined} />);
  expect(await screen.findByRole('heading', { name: 'This link leads nowhere' })).toBeVisible();
  expect(screen.queryByRole('button')).toBeNull();
});
