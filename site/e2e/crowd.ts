import { randomUUID } from 'node:crypto';
import { type Caller, send } from './caller';
import { addService } from './made';

// What one call may bring.
const most = 100;

/** Opens so many incidents, as programs do, in an organization of its own. Maintenance holds their pages. */
export async function crowd(caller: Caller, count: number): Promise<void> {
  const { id, key } = await addService(caller);
  await caller.post('/v1/maintenance-windows', {
    description: 'Many at once',
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    service_ids: [id],
  });
  for (let first = 0; first < count; first += most) {
    const events = Array.from({ length: Math.min(most, count - first) }, (_, place) => ({
      id: randomUUID(),
      title: `Worker ${first + place} restarted more than 3 times`,
      dedup_key: `worker-${first + place}`,
      severity: (['low', 'medium', 'high'] as const)[place % 3],
    }));
    const { results } = await send<{ results: { status: string }[] }>(
      `${caller.url}/v1/events/batch`,
      'POST',
      { events },
      key,
    );
    const refused = results.filter(({ status }) => status === 'error');
    if (refused.length > 0) throw new Error(`an event was refused: ${JSON.stringify(refused[0])}`);
  }
}
