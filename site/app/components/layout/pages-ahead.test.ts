import { afterEach, expect, it, vi } from 'vitest';
import { acting } from '~/lib/give-way';
import { fetchPages } from './pages-ahead';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('gives its connection to an act, and fetches the same file again', async () => {
  vi.useFakeTimers();
  const routes = { users: { parentId: 'routes/signed-in', module: '/assets/users.js' } };
  vi.stubGlobal('window', { __reactRouterManifest: { routes } });
  const signals: AbortSignal[] = [];
  const hang = (_: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    if (signals.length > 1) return Promise.resolve(new Response('//'));
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  vi.stubGlobal('fetch', hang);
  const fetched = fetchPages();
  await vi.advanceTimersByTimeAsync(3000);
  expect(signals).toHaveLength(1);
  const free = acting(async () => signals[0]?.aborted);
  expect(await free).toBe(true);
  await vi.advanceTimersByTimeAsync(1000);
  await fetched;
  expect(signals).toHaveLength(2);
});

it('fetches the pages of incidents before the page rests, and no file twice', async () => {
  vi.useFakeTimers();
  const of = (module: string) => ({ parentId: 'routes/signed-in', module, imports: ['/assets/kit.js'] });
  const routes = {
    'routes/users': of('/assets/users.js'),
    'routes/incident': of('/assets/incident.js'),
    'routes/incidents': of('/assets/incidents.js'),
  };
  vi.stubGlobal('window', { __reactRouterManifest: { routes } });
  const files: string[] = [];
  vi.stubGlobal('fetch', async (file: string) => {
    files.push(file);
    return new Response('//');
  });
  const fetched = fetchPages();
  await vi.advanceTimersByTimeAsync(100);
  expect(files).toEqual(['/assets/incident.js', '/assets/kit.js', '/assets/incidents.js']);
  await vi.advanceTimersByTimeAsync(3000);
  await fetched;
  expect(files.slice(3)).toEqual(['/assets/users.js']);
});
