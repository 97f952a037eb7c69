import { getClient } from '@nightbell/node';

export async function GET(request, { params }) {
  const { id } = await params;
  getClient()?.setUser({ id: request.headers.get('x-user') ?? '' });
  return Response.json(await load(id)); // what it throws is reported
}

async function load(id) {
  throw new Error(`order ${id}: the database is away`);
}
