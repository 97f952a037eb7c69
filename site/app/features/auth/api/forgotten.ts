import { ApiError, messageOf, readJson, send } from '~/lib/api';

/** Whether a forgotten password is replaced by a link that is mailed. */
export async function mailsLinks(): Promise<boolean> {
  const response = await send({ method: 'GET', path: '/v1/auth/options', action: 'ask how to log in' });
  const answer = await readJson(response);
  return (answer as { forgotten_password?: string }).forgotten_password === 'mail';
}

/** Asks for such a link, and returns the sentence to show, which is the same for every address. */
export function askForLink(email: string): Promise<string> {
  return post('/v1/auth/forgot-password', { email }, 'The link could not be sent. Please try again.');
}

/** Sets a new password by the token of a link, and returns the sentence to show. */
export function resetPassword(token: string, password: string): Promise<string> {
  return post(
    '/v1/auth/reset-password',
    { token, password },
    'The password could not be changed. Please try again.',
  );
}

async function post(path: string, body: object, otherwise: string): Promise<string> {
  const response = await send({ method: 'POST', path, body, action: 'change the password' });
  const answer = await readJson(response);
  if (response.ok) return messageOf(answer);
  throw new ApiError(messageOf(answer) || otherwise, response.status);
}
