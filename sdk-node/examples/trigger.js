// Opens an incident and prints its id.
// #region setup
import { Nightbell } from '@nightbell/node';

const client = new Nightbell(); // NIGHTBELL_SERVICE_KEY and NIGHTBELL_BASE_URL
// #endregion

// #region trigger
const incident = await client.triggerIncident({
  title: 'Orders stopped',
  severity: 'critical',
  description: 'No order for ten minutes.',
  tags: { type: 'business' },
  metadata: { orders_count: 0, time_window: '10m' },
  dedupKey: 'orders-stopped',
});
console.log('incident', incident.id);
// #endregion
if (incident.status === 'disabled') {
  console.error('Nothing was reported: NIGHTBELL_SERVICE_KEY is not set.');
  process.exitCode = 1;
}
