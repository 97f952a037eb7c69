import type { CreateIncidentResponseJson, CreateServiceResponseJson } from '@nightbell/proto';
import { type Caller, send } from './caller';

let made = 0;

/** A name that nothing else in the workspace has. */
export function nameOf(what: string): string {
  made += 1;
  return `${what} ${made}`;
}

/** Declares an incident of the test's own and returns its address and its title. */
export async function declare(
  caller: Caller,
  title = nameOf('Nobody else looks at this'),
  fields: object = {},
): Promise<{ path: string; id: string; title: string }> {
  const { incident } = await caller.post<CreateIncidentResponseJson>('/v1/incidents', {
    title,
    severity: 'high',
    ...fields,
  });
  return { path: `/incidents/${incident?.id}`, id: incident?.id ?? '', title };
}

/** Adds a service and returns its id, and the key with which programs send. */
export async function addService(
  caller: Caller,
  name = nameOf('Service'),
): Promise<{ id: string; name: string; key: string }> {
  const answer = await caller.post<CreateServiceResponseJson>('/v1/services', { name });
  return { id: answer.service?.id ?? '', name, key: answer.service_key ?? '' };
}

/** Sends an event as a program does, with the key of its service, and returns the incident that it is of. */
export function tell({ url }: Caller, key: string, event: object): Promise<{ id: string }> {
  return send(`${url}/v1/events`, 'POST', event, key);
}
