// Serves with Fastify on port 3000 and reports what goes wrong.
import { Nightbell } from '@nightbell/node';
import { nightbell } from '@nightbell/node/fastify';
import fastify from 'fastify';

const client = new Nightbell();

// #region middleware
const app = fastify();
app.register(nightbell, { client });

app.get('/orders/:id', async (request) => {
  client.setUser({ id: String(request.headers['x-user']) });
  return load(request.params.id); // what it throws is reported
});
// #endregion
await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });

async function load(id) {
  throw new Error(`order ${id}: the database is away`);
}
