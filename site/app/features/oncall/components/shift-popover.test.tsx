import type { CreateOverrideResponseJson, ListUsersResponseJson } from '@nightbell/proto';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { startSession } from '~/lib/session-change';
import { renderRoute } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { ShiftPopover } from './shift-popover';

const mara = {
  user: { id: 'u1', org_id: 'o1', name: 'Mara', role: 'admin' },
  accessToken: 'a',
  refreshToken: 'r',
};
const jonas = { ...mara, user: { ...mara.user, id: 'u2', name: 'Jonas' } };
const elsewhere = { ...mara, user: { ...mara.user, org_id: 'o2' } };

/** The popover of a shift of eight hours, and a button that takes it away. */
function open(from: number) {
  const to = from + 8 * 3_600_000;
  const shift = { from, to, people: [], because: 'nothing', becauseId: '', becauseName: '' } as const;
  const block = { key: 'b', shift, from, to, override: null };
  renderRoute('/', () => {
    const [shown, setShown] = useState(true);
    return (
      <>
        <button type="button" onClick={() => setShown(false)}>
          Leave
        </button>
        {shown && (
          <ShiftPopover
            block={block}
            anchor={document.body}
            zone="UTC"
            hueOf={() => undefined}
            onClose={() => setShown(false)}
            change={{ scheduleId: 'p1', onMore: () => undefined }}
          />
        )}
      </>
    );
  });
}

/** Holds back the answer to a take-over until `come` is called. */
function holdBack(answer: () => Response) {
  let come = () => {};
  const coming = new Promise<void>((resolve) => {
    come = resolve;
  });
  let asked = false;
  server.use(
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [] })),
    http.post('*/overrides', async () => {
      asked = true;
      await coming;
      return answer();
    }),
  );
  return { come, asked: () => waitFor(() => expect(asked).toBe(true)) };
}

const take = () => fireEvent.click(screen.getByRole('button', { name: 'I take it', hidden: true }));

it.each([
  ['the same person', mara, 1],
  ['the next person', jonas, 0],
  ['the same person in another organization', elsewhere, 0],
])('who has the shift now is said to %s, or not', async (_, next, times) => {
  startSession(mara);
  const { come, asked } = holdBack(() =>
    reply<CreateOverrideResponseJson>({
      override: {
        id: 'v1',
        user_id: 'u1',
        starts_at: '2099-01-01T08:00:00Z',
        ends_at: '2099-01-01T16:00:00Z',
      },
    }),
  );
  open(Date.parse('2099-01-01T08:00:00Z'));
  take();
  await asked();
  startSession(next);
  come();
  await act(() => new Promise((done) => setTimeout(done, 50)));
  expect(screen.queryAllByText(/^Mara: /)).toHaveLength(times);
});

it('says that a take-over failed also when its popover was closed meanwhile', async () => {
  startSession(mara);
  const { come, asked } = holdBack(() => HttpResponse.json({}, { status: 500 }));
  open(Date.parse('2099-01-01T08:00:00Z'));
  take();
  await asked();
  fireEvent.click(screen.getByText('Leave'));
  come();
  expect(await screen.findByText(/create override/i)).toBeInTheDocument();
});

it('gives a shift from the press on, and the same again after a failure, for two minutes', async () => {
  startSession(mara);
  const sent: unknown[] = [];
  server.use(
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [] })),
    http.post('*/overrides', async ({ request }) => {
      sent.push(((await request.json()) as { starts_at: string }).starts_at);
      return HttpResponse.json({}, { status: 500 });
    }),
  );
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2099-01-01T09:00:00Z') });
  open(Date.parse('2099-01-01T08:00:00Z'));
  for (const [at, times] of [
    ['09:20', 1],
    ['09:21', 2],
    ['09:24', 3],
  ] as const) {
    vi.setSystemTime(Date.parse(`2099-01-01T${at}:00Z`));
    const again = screen.getByRole('button', { name: 'I take it', hidden: true });
    await waitFor(() => expect(again).toBeEnabled());
    take();
    await waitFor(() => expect(sent).toHaveLength(times));
  }
  vi.useRealTimers();
  expect(sent.map((at) => Date.parse(String(at)))).toEqual(
    ['09:20', '09:20', '09:24'].map((at) => Date.parse(`2099-01-01T${at}:00Z`)),
  );
});

it('gives a shift to another person from the press for that person on', async () => {
  startSession(mara);
  const sent: unknown[] = [];
  server.use(
    http.get('*/v1/users', () => reply<ListUsersResponseJson>({ users: [{ id: 'u3', name: 'Priya' }] })),
    http.post('*/overrides', async ({ request }) => {
      sent.push(((await request.json()) as { starts_at: string }).starts_at);
      return HttpResponse.json({}, { status: 500 });
    }),
  );
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2099-01-01T09:20:00Z') });
  open(Date.parse('2099-01-01T08:00:00Z'));
  take();
  await waitFor(() => expect(sent).toHaveLength(1));
  vi.setSystemTime(Date.parse('2099-01-01T09:21:30Z'));
  const priya = await screen.findByRole('button', { name: /Priya/, hidden: true });
  await waitFor(() => expect(priya).toBeEnabled());
  fireEvent.click(priya);
  await waitFor(() => expect(sent).toHaveLength(2));
  vi.useRealTimers();
  expect(Date.parse(String(sent[1]))).toBe(Date.parse('2099-01-01T09:21:30Z'));
});
