import type { GetInstallationResponseJson, ListInboxResponseJson } from '@nightbell/proto';
import { screen } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Inbox from './inbox';

it.each([
  ['inbox', /^No mail yet\. Send an alert/],
  ['server', 'None was kept. New mail is in the mailboxes that it is sent to.'],
])('says where mail is while none is here: %s', async (mail, words) => {
  signIn();
  server.use(
    http.get('*/v1/installation', () => reply<GetInstallationResponseJson>({ mail })),
    http.get('*/v1/inbox', () => reply<ListInboxResponseJson>({ mails: [] })),
  );
  renderRoute('/inbox', Inbox);
  expect(await screen.findByText(words)).toBeVisible();
});
