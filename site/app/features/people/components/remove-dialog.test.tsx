import type { GetUserDutiesResponseJson, ListUsersResponseJson } from '@nightbell/proto';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { RemoveDialog } from './remove-dialog';

const words = 'Choose first who takes over, so that nothing is left to nobody.';

it('says why nobody can be removed yet', async () => {
  signIn();
  server.use(
    http.get('*/v1/users/u1/duties', () =>
      reply<GetUserDutiesResponseJson>({
        replacement_needed: true,
        schedules: [{ id: 's1', name: 'Nights' }],
      }),
    ),
    http.get('*/v1/users', () =>
      reply<ListUsersResponseJson>({
        users: [
          { id: 'u1', name: 'Pete' },
          { id: 'u2', name: 'Ada' },
        ],
      }),
    ),
  );
  renderRoute('/users', () => <RemoveDialog user={{ id: 'u1', name: 'Pete' }} onClose={() => undefined} />);
  expect(await screen.findByText(words)).toBeVisible();
  const remove = screen.getByRole('button', { name: 'Remove Pete' });
  expect(remove).toBeDisabled();
  await userEvent.type(screen.getByLabelText('Replace by'), 'Ada');
  await userEvent.click(await screen.findByRole('option', { name: /Ada/ }));
  expect(screen.queryByText(words)).toBeNull();
  expect(remove).toBeEnabled();
});
