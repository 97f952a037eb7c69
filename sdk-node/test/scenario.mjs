// Does one thing that a program does with Nightbell, and ends in one of the ways in which programs
// end. The tests of api/e2e run it against the real server, beside sdk-go/internal/e2e/scenario and
// sdk-python/tests/scenario.py, which have the same names.
import { once } from 'node:events';
import { Nightbell } from '@nightbell/node';

const client = new Nightbell();
const capture = () => client.captureError(new Error('no stock'));
/** Tells the test that the program is about to end. */
const now = () => console.log('now');
const forever = () => setInterval(() => {}, 3_600_000);
const inputEnds = async () => {
  process.stdin.resume();
  await once(process.stdin, 'end');
};

const scenarios = {
  /** Prints the id of the incident, also when it is the second call with one id. */
  async trigger() {
    for (let n = 0; n < 2; n++) {
      const incident = await client.triggerIncident(
        {
          title: 'Orders stopped',
          severity: 'critical',
          tags: { type: 'business' },
          metadata: { orders_count: 0 },
        },
        { idempotencyKey: '0192d3a5-6a80-7000-8000-000000000001' },
      );
      console.log(incident.id);
    }
  },
  /** One error at one place three times, each sent by itself. */
  async capture() {
    for (let n = 0; n < 3; n++) {
      capture();
      await client.flush();
    }
  },
  exit() {
    capture();
    now();
    process.exit(3);
  },
  end() {
    capture();
    now();
  },
  /** The test sends SIGTERM. */
  signal() {
    capture();
    now();
    forever();
  },
  uncaught() {
    now();
    throw new Error('no stock');
  },
  /** A rejection that nobody handles. */
  background() {
    now();
    Promise.reject(new Error('no stock'));
    forever();
  },
  /** Until its input ends. */
  async stay() {
    capture();
    now();
    await inputEnds();
    now();
  },
  /** The next start of a program: it delivers what the last one left. */
  async restart() {
    await inputEnds();
    now();
  },
};

const scenario = scenarios[process.argv[2]];
if (!scenario) throw new Error(`no scenario ${process.argv[2]}`);
// Not awaited, so that an error of uncaught is thrown and not a rejection.
scenario();
