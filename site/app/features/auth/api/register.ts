import { ApiError, messageOf, readJson, send } from '~/lib/api';
import type { Registration } from '../model/registration';

/** Creates an account. Throws ApiError with the server's sentence, or a general one, when it is refused. */
export async function register(registration: Registration): Promise<void> {
  const response = await send({
    method: 'POST',
    path: '/v1/auth/register',
    body: registration,
    action: 'register',
  });
  if (response.ok) return;
  const message = messageOf(await readJson(response));
  throw new ApiError(message || 'Registration failed. Please try again.', response.status);
}
