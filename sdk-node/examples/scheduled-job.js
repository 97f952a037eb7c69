// Says that a job runs and how it ended.
import { Nightbell } from '@nightbell/node';

const client = new Nightbell();

async function backup() {}

// #region job
await client.job(
  'nightly-backup',
  { schedule: '0 3 * * *', timeZone: 'Europe/Berlin', maxRuntime: '30m' },
  backup,
);
// #endregion
