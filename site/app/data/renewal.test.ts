import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { incidentKeys } from './keys';
import { askAgain, keysOf, renewal } from './renewal';

afterEach(() => vi.useRealTimers());

it.each([
  [
    'incident.acknowledged',
    '{"incident_id":"i1"}',
    'incidents,counts incidents,metrics incidents,list services incidents,one,i1',
  ],
  [
    'page.sent',
    '{"incident_id":"i1"}',
    'incidents,counts incidents,metrics incidents,list services incidents,one,i1',
  ],
  ['service.health_changed', '{"service_id":"s1"}', 'services incidents,list'],
  ['incident.changed', 'null', 'incidents,counts incidents,metrics incidents,list services'],
  ['of.a.newer.server', 'not json', 'incidents,counts incidents,metrics incidents,list services'],
])('%s of %s renews what shows it', (name, data, keys) =>
  expect(keysOf(name, data).map(String).join(' ')).toBe(keys),
);

it('lets a list that takes three seconds arrive in a storm of events, and shows the last one', async () => {
  vi.useFakeTimers();
  const client = new QueryClient();
  let now = 0;
  const list = new QueryObserver(client, {
    queryKey: [...incidentKeys.list, 'limit=1000'],
    queryFn: async ({ signal }) => {
      const asked = now;
      await new Promise((resolve, reject) => {
        setTimeout(resolve, 3000);
        signal.addEventListener('abort', reject);
      });
      return asked;
    },
  });
  const shown: unknown[] = [];
  const stop = list.subscribe(({ data }) => shown.at(-1) !== data && shown.push(data));
  const renew = renewal(client);
  for (; now < 20_000; now += 200) {
    renew.add([incidentKeys.list]);
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(shown.length).toBeGreaterThan(4);
  await vi.advanceTimersByTimeAsync(8000);
  expect(shown.at(-1)).toBeGreaterThanOrEqual(19_800);
  stop();
  renew.cancel();
});

it('holds nobody longer than three seconds for a list that hangs after a save', async () => {
  vi.useFakeTimers();
  const client = new QueryClient();
  const list = new QueryObserver(client, {
    queryKey: incidentKeys.list,
    queryFn: () => new Promise(() => undefined),
  });
  const stop = list.subscribe(() => undefined);
  const saved = vi.fn();
  void askAgain(client, [incidentKeys.list]).then(saved);
  await vi.advanceTimersByTimeAsync(2900);
  expect(saved).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(saved).toHaveBeenCalledOnce();
  stop();
});
