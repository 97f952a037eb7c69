import type {
  ChangeIncidentsResponseJson,
  ListIncidentsResponseJson,
  ListSchedulesResponseJson,
  ListServicesResponseJson,
  ListUsersResponseJson,
} from '@nightbell/proto';
import { useInfiniteQuery } from '@tanstack/react-query';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { incidentList } from '~/data/incidents';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { Palette } from './palette';

const payments = { id: 'i1', title: 'Checkout payments fail', status: 'triggered', severity: 'high' };
const currency = { id: 'i2', title: 'Checkout shows another currency', status: 'triggered', severity: 'low' };
let open: object[];
let sent: unknown[];

function Page() {
  const list = useInfiniteQuery(incidentList({ status: 'open' }));
  return (
    <>
      <Palette actions={[]} onClose={() => undefined} />
      <button type="button" onClick={() => list.refetch()}>
        Ask again
      </button>
    </>
  );
}

beforeEach(() => {
  signIn();
  sent = [];
  Element.prototype.scrollIntoView = () => undefined;
  server.use(
    http.get('*/v1/incidents', ({ request }) =>
      reply<ListIncidentsResponseJson>({ incidents: request.url.includes('status=open') ? open : [] }),
    ),
    http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services: [] })),
    http.get('*/v1/schedules', () => reply<ListSchedulesResponseJson>({ schedules: [] })),
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [] })),
    http.post('*/v1/incidents/bulk', async ({ request }) => {
      sent.push(((await request.json()) as { ids: string[] }).ids);
      return reply<ChangeIncidentsResponseJson>({ results: [] });
    }),
  );
});

async function find(...incidents: object[]) {
  open = incidents;
  renderRoute('/', Page);
  await userEvent.type(await screen.findByRole('combobox'), 'checkout');
  await screen.findAllByRole('option');
}

async function ask(...incidents: object[]) {
  open = incidents;
  fireEvent.click(screen.getByText('Ask again'));
  await waitFor(() => expect(screen.queryAllByRole('option')).toHaveLength(incidents.length));
}

const chosen = () => screen.queryByRole('option', { selected: true })?.textContent;
const acknowledge = () => fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter', ctrlKey: true });

it('keeps what is chosen when another comes above it', async () => {
  await find(payments);
  expect(chosen()).toContain(payments.title);
  await ask(currency, payments);
  expect(chosen()).toContain(payments.title);
  acknowledge();
  await waitFor(() => expect(sent).toEqual([['i1']]));
});

it('chooses nothing in the place of what has gone, until somebody does', async () => {
  await find(payments, currency);
  await ask(currency);
  expect(chosen()).toBeUndefined();
  acknowledge();
  expect(sent).toEqual([]);
  fireEvent.keyDown(screen.getByRole('combobox'), { key: 'ArrowDown' });
  acknowledge();
  await waitFor(() => expect(sent).toEqual([['i2']]));
});

it('takes no press that was on its way when the order changed', async () => {
  await find(payments);
  await ask(currency, payments);
  fireEvent.click(screen.getByText(currency.title), { detail: 1 });
  expect(screen.queryByText('Another page')).toBeNull();
  await new Promise((seen) => setTimeout(seen, 350));
  fireEvent.click(screen.getByText(currency.title), { detail: 1 });
  expect(await screen.findByText('Another page')).toBeInTheDocument();
});

it('acknowledges again what became more severe', async () => {
  await find({ ...payments, status: 'acknowledged', confirmation_wanted: true });
  acknowledge();
  await waitFor(() => expect(sent).toEqual([['i1']]));
});
