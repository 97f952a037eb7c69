import type { CreateIncidentResponseJson, ListServicesResponseJson, ServiceJson } from '@nightbell/proto';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { endSession, startSession } from '~/lib/session-change';
import { renderRoute } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { CreateIncidentDialog } from './create-incident-dialog';

const mara = { user: { id: 'u1', org_id: 'o1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };
const jonas = { ...mara, user: { ...mara.user, id: 'u2', name: 'Jonas' } };
const services = [
  { id: 's1', name: 'Payments' },
  { id: 's2', name: 'Search' },
] satisfies ServiceJson[];

let sent: { key: string | null; title: string }[];
let answer: () => Promise<Response> | Response;

beforeEach(() => {
  sessionStorage.clear();
  startSession(mara);
  sent = [];
  answer = () => reply<CreateIncidentResponseJson>({ incident: { id: 'i-c41e', title: 'The disk' } });
  server.use(
    http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services })),
    http.post('*/v1/incidents', async ({ request }) => {
      const { title } = (await request.json()) as { title: string };
      sent.push({ key: request.headers.get('Idempotency-Key'), title });
      return answer();
    }),
  );
});

let leave: () => void;

function open(about?: { id: string; name: string }) {
  cleanup();
  renderRoute('/', () => {
    const [here, setHere] = useState(true);
    leave = () => setHere(false);
    return here && <CreateIncidentDialog about={about} onClose={leave} />;
  });
  return [screen.getByLabelText('Title'), screen.getByLabelText(/^Description/)] as const;
}

const write = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const create = () => fireEvent.click(screen.getByRole('button', { name: 'Create incident' }));
const lost = () => HttpResponse.json({ message: 'The answer was lost.' }, { status: 503 });

/** Presses, and lets the answer come once the test says so. */
async function createSlowly(): Promise<() => Promise<void>> {
  let come = () => {};
  const coming = new Promise<void>((resolve) => {
    come = resolve;
  });
  const then = answer;
  answer = async () => {
    await coming;
    return then();
  };
  const before = sent.length;
  create();
  await waitFor(() => expect(sent).toHaveLength(before + 1));
  return async () => {
    come();
    await act(() => new Promise((done) => setTimeout(done, 50)));
  };
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

it('pages once however often the same is pressed after a lost answer, also in the form that is there again', async () => {
  answer = lost;
  open();
  write('Title', 'Disk full');
  create();
  await screen.findByRole('alert');
  open();
  create();
  await screen.findByRole('alert');
  create();
  await waitFor(() => expect(sent).toHaveLength(3));
  await screen.findByRole('alert');
  write('Title', 'Another');
  create();
  await waitFor(() => expect(sent).toHaveLength(4));
  expect(sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  expect(sent[1]?.key).toBe(sent[0]?.key);
  expect(sent[2]?.key).toBe(sent[0]?.key);
  expect(sent[3]?.key).not.toBe(sent[0]?.key);
});

it('forgets what was created after the form was left, and takes the same written again for a new incident', async () => {
  open();
  write('Title', 'The disk');
  const come = await createSlowly();
  act(() => leave());
  await come();
  expect(screen.getByText(/was created/)).toBeInTheDocument();
  const [title] = open();
  expect(title).toHaveValue('');
  write('Title', 'The disk');
  create();
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.key).not.toBe(sent[0]?.key);
});

it('pages nobody twice from the form that was opened again before the answer', async () => {
  open();
  write('Title', 'The disk');
  const come = await createSlowly();
  open();
  await come();
  create();
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.key).toBe(sent[0]?.key);
});

it('takes the same words a quarter of an hour later for new trouble', async () => {
  answer = lost;
  open();
  write('Title', 'The disk');
  create();
  await screen.findByRole('alert');
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 16 * 60_000);
  create();
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.key).not.toBe(sent[0]?.key);
});

it('pages nobody twice for what was closed before a lost answer and is written again', async () => {
  answer = lost;
  open();
  write('Title', 'The disk');
  const come = await createSlowly();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  await come();
  const [title] = open();
  expect(title).toHaveValue('');
  write('Title', 'The disk');
  create();
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.key).toBe(sent[0]?.key);
});

it('keeps the severity and the service with the text', async () => {
  open();
  await screen.findByRole('option', { name: 'Search' });
  write('Severity', 'low');
  write('Service', 's2');
  write('Title', 'The disk');
  open();
  // At once, before the list of services has come.
  expect(screen.getByLabelText('Service')).toHaveDisplayValue('Search');
  expect(screen.getByLabelText('Severity')).toHaveValue('low');
  await screen.findByRole('option', { name: 'Payments' });
  expect(screen.getByLabelText('Service')).toHaveValue('s2');
});

it.each([
  ['of another service is not given for this one', 's2', 's1', '', 's1'],
  ['of this service is there', 's1', 's1', 'The disk', 's1'],
  ['of no service is there for this one', '', 's1', 'The disk', 's1'],
])('what is half written %s', async (_, of, about, text, service) => {
  open();
  await screen.findByRole('option', { name: 'Search' });
  write('Service', of);
  write('Title', 'The disk');
  const [title] = open({ id: about, name: 'Payments' });
  expect(title).toHaveValue(text);
  expect(screen.getByLabelText('Service')).toHaveValue(service);
});

it.each([
  ['next person', jonas],
  ['person in another organization', { ...mara, user: { ...mara.user, org_id: 'o2' } }],
])('tells the %s nothing of what was created', async (_, next) => {
  open();
  write('Title', 'The disk');
  const come = await createSlowly();
  act(() => leave());
  startSession(next);
  await come();
  expect(screen.queryByText(/was created/)).toBeNull();
});
