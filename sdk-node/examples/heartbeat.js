// Says every minute that the program lives, until it is told to end.
import { Nightbell } from '@nightbell/node';

const client = new Nightbell();

// #region heartbeat
const heartbeat = client.heartbeat('orders-worker', { every: '60s', grace: '30s' });
process.once('SIGTERM', async () => {
  heartbeat.stop(); // says that this is no failure
  await client.close();
  process.exit();
});
// #endregion
setInterval(() => {}, 60_000); // your program runs on
