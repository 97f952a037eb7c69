import type { CreateApiKeyResponseJson } from '@nightbell/proto';
import { expect } from '@playwright/test';
import { type Caller, send } from './caller';
import { idOf } from './demo';

export type Role = 'viewer' | 'responder' | 'admin' | 'owner';

/**
 * Prepares the owner of the demo workspace for being less, for good: Jonas becomes an owner, because an
 * organization keeps one, and a program's key may change what Mara may do from then on.
 */
export async function lowerOwner(mara: Caller): Promise<(to: Role) => Promise<void>> {
  const { key = '' } = await mara.post<CreateApiKeyResponseJson>('/v1/api-keys', {
    name: 'Roles of the browser tests',
    role: 'admin',
    scopes: ['config:write'],
  });
  const give = (caller: string, person: string, role: Role) =>
    send<void>(`${mara.url}/v1/users/${idOf('person', person)}`, 'PATCH', { role }, caller);
  await give(mara.session.accessToken, 'Jonas', 'owner');
  await give(mara.session.accessToken, 'Mara', 'admin');
  return async (to) => {
    await give(key, 'Mara', to);
    // Who a session is stays in memory for three seconds: what it may do is known by what is refused.
    await expect.poll(() => mayRespond(mara)).toBe(to !== 'viewer');
  };
}

async function mayRespond({ url, session }: Caller): Promise<boolean> {
  const response = await fetch(`${url}/v1/incidents/${idOf('person', 'Nobody')}/acknowledge`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${session.accessToken}` },
  });
  return response.status === 404;
}
