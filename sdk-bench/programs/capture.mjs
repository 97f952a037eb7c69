// Prints what one capture costs its caller in microseconds: the median of bursts of 40, beside
// that of reading the stack of a new error alone. Nothing is sent.
import { createRequire } from 'node:module';

const [, , which, from] = process.argv;
const load = createRequire(`${from}/`);
const capture = {
  ours: () => {
    const { Nightbell } = load('@nightbell/node');
    const transport = {
      send: async () => ({ status: 201, headers: {}, body: '{"status":"created"}' }),
      close() {},
    };
    const client = new Nightbell({
      serviceKey: 'nbs_bench0000000000000000',
      baseUrl: 'http://127.0.0.1:9',
      environment: 'bench',
      debug: false,
      transport,
    });
    return (error) => client.captureError(error);
  },
  anchor: () => {
    const sentry = load('@sentry/node');
    sentry.init({
      dsn: 'http://key@127.0.0.1:9/1',
      transport: () => ({ send: async () => ({ statusCode: 200 }), flush: async () => true }),
    });
    return (error) => sentry.captureException(error);
  },
}[which]();

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
async function cost(work) {
  const bursts = [];
  for (let burst = 0; burst < 22; burst++) {
    const start = process.hrtime.bigint();
    for (let n = 0; n < 40; n++) work(n);
    bursts.push(Number(process.hrtime.bigint() - start) / 40_000);
    await turn();
  }
  return median(bursts.slice(4));
}
const deep = (n, level = 8) => (level ? deep(n, level - 1) : new Error(`fault ${n}`));
const reference = await cost((n) => deep(n).stack.length);
console.log(JSON.stringify({ us: await cost((n) => capture(deep(n))), reference_us: reference }));
process.exit();
