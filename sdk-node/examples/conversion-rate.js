// Opens an incident when fewer than 2 % of the visitors of a day bought something.
import { Nightbell } from '@nightbell/node';

const client = new Nightbell();

/** Stands for a query of your database. */
const salesOfLastDay = async () => ({ orders: 15, visitors: 1000 });

// #region conversion-rate
client.ratioMonitor('conversion', {
  every: '10m',
  query: async () => {
    const { orders, visitors } = await salesOfLastDay();
    return { hits: orders, total: visitors };
  },
  below: 0.02,
  minTotal: 100, // fewer visitors say nothing
  incident: { title: 'Conversion below 2%', severity: 'high', metadata: { time_window: '24h' } },
});
// #endregion
setInterval(() => {}, 60_000); // your program runs on
