// Opens an incident while an operation takes longer than five seconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { Nightbell } from '@nightbell/node';

const client = new Nightbell();

// #region performance
// Five seconds by default; client.performance(name, { threshold: '30s' }, fn) changes that.
await client.performance('monthly-report', async () => {
  await sleep(6000); // the work
});
// #endregion
