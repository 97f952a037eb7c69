// Declares an incident by openapi-fetch with the types that openapi-typescript makes of the OpenAPI document.
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths>({
  baseUrl: process.env.NIGHTBELL_URL ?? '',
  headers: { Authorization: `Bearer ${process.env.NIGHTBELL_API_KEY}` },
});

const { data, error } = await client.POST('/v1/incidents', {
  body: { title: 'Declared in TypeScript', severity: 'high' },
});
if (error) throw new Error(`${error.code}: ${error.message}`);
const { title, status }: { title: string; status: string } = data.incident;
process.stdout.write(`${title} ${status}\n`);
