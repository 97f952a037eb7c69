// Serves with Express on port 3000 and reports what goes wrong.
import { Nightbell } from '@nightbell/node';
import { nightbell, nightbellContext } from '@nightbell/node/express';
import express from 'express';

const client = new Nightbell();

// #region middleware
const app = express();
app.use(nightbellContext(client)); // first

app.get('/orders/:id', async (request, response) => {
  client.setUser({ id: request.get('X-User') });
  response.json(await load(request.params.id)); // what it throws is reported
});

app.use(nightbell(client)); // after the routes
// #endregion
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');

async function load(id) {
  throw new Error(`order ${id}: the database is away`);
}
