import type {
  ListIncidentsResponseJson,
  ListSchedulesResponseJson,
  ListServicesResponseJson,
  ListUsersResponseJson,
} from '@nightbell/proto';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { expect, it } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { Palette } from './palette';

const nothing = 'Nothing matches "payment".';

function answer(services: () => Response | Promise<Response>): void {
  signIn();
  server.use(
    http.get('*/v1/incidents', () => reply<ListIncidentsResponseJson>({ incidents: [] })),
    http.get('*/v1/services', services),
    http.get('*/v1/schedules', () => reply<ListSchedulesResponseJson>({ schedules: [] })),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [] })),
  );
  renderRoute('/', () => <Palette actions={[]} onClose={() => undefined} />);
}

const type = async () => userEvent.type(await screen.findByRole('combobox'), 'payment');

it('says that nothing matches once everything was searched', async () => {
  answer(() => reply<ListServicesResponseJson>({ services: [] }));
  await type();
  expect(await screen.findByText(nothing)).toBeInTheDocument();
});

it('says what could not be searched, and not that there is nothing', async () => {
  answer(() => HttpResponse.json({ code: 'forbidden', message: 'No.' }, { status: 403 }));
  await type();
  expect(await screen.findByText('Services could not be searched.')).toBeInTheDocument();
  expect(screen.queryByText(nothing)).toBeNull();
});

it('still searches while something has not answered', async () => {
  answer(async () => {
    await delay('infinite');
    return reply<ListServicesResponseJson>({});
  });
  await type();
  await new Promise((done) => setTimeout(done, 600));
  expect(screen.getByRole('listbox').nextElementSibling).toHaveTextContent('Searching');
  expect(screen.queryByText(nothing)).toBeNull();
});
