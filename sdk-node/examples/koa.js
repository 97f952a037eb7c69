// Serves with Koa on port 3000 and reports what goes wrong.
import { Nightbell } from '@nightbell/node';
import { nightbell } from '@nightbell/node/koa';
import Koa from 'koa';

const client = new Nightbell();

// #region middleware
const app = new Koa();
app.use(nightbell(client)); // first

app.use(async (context) => {
  const id = /^\/orders\/(\w+)$/.exec(context.path)?.[1];
  if (!id) return;
  client.setUser({ id: context.get('X-User') });
  client.setOperation('GET /orders/:id'); // Koa itself knows no routes
  context.body = await load(id); // what it throws is reported
});
// #endregion
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');

async function load(id) {
  throw new Error(`order ${id}: the database is away`);
}
