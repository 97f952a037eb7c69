import type { ConfirmInstallationResponseJson, GetInstallationResponseJson } from '@nightbell/proto';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { Notices } from './notices';

it('says on every page that a restored copy pages nobody, until the owner confirms it', async () => {
  signIn();
  let copied = true;
  server.use(
    http.get('*/v1/installation', () =>
      reply<GetInstallationResponseJson>({
        notices: copied ? [{ kind: 'restored_copy', message: 'It pages nobody.' }] : [],
      }),
    ),
    http.post('*/v1/installation/confirm', () => {
      copied = false;
      return reply<ConfirmInstallationResponseJson>({ message: 'Confirmed.' });
    }),
  );
  renderRoute('/', Notices, '/');
  await screen.findByText('It pages nobody.');
  await userEvent.click(screen.getByRole('button', { name: 'Let it page' }));
  expect(screen.getByRole('dialog')).toHaveTextContent('only when the original is switched off');
  await userEvent.click(screen.getByRole('button', { name: 'It replaces it' }));
  await waitFor(() => expect(screen.queryByText('It pages nobody.')).not.toBeInTheDocument());
});
