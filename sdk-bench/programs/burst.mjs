// Captures 1,000 errors in a loop, and ends by itself after a flush of 5 seconds.
import { createRequire } from 'node:module';

const [, , which, from, url] = process.argv;
const load = createRequire(`${from}/`);
if (which === 'ours') {
  const { Nightbell } = load('@nightbell/node');
  const client = new Nightbell({ serviceKey: 'nbs_bench0000000000000000', baseUrl: url, debug: false });
  for (let n = 0; n < 1000; n++) client.captureError(new Error(`fault ${n}`));
  await client.close(5000);
} else {
  const sentry = load('@sentry/node');
  sentry.init({ dsn: `${url.replace('://', '://key@')}/1` });
  for (let n = 0; n < 1000; n++) sentry.captureException(new Error(`fault ${n}`));
  await sentry.close(5000);
}
