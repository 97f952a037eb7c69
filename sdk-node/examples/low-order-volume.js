// Opens an incident when fewer than ten orders came in the last hour.
import { Nightbell } from '@nightbell/node';

const client = new Nightbell();

/** Stands for a query of your database. */
const ordersOfLastHour = async () => 3;

// #region low-order-volume
client.metricMonitor('orders', {
  every: '5m',
  query: ordersOfLastHour,
  below: 10,
  incident: {
    title: 'Low order volume',
    severity: 'high',
    tags: { type: 'business', metric: 'orders' },
    metadata: { time_window: '1h' },
  },
});
// #endregion
setInterval(() => {}, 60_000); // your program runs on
