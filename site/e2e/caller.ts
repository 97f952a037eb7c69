import type { LoginResponseJson } from '@nightbell/proto';

/** A session as the sign-in leaves it in storage. */
export interface StoredSession {
  user: { id: string; name: string; org_id: string; role: string };
  accessToken: string;
  refreshToken: string;
}

const password = 'nine lamps under the bridge';
let registered = 0;

/** Somebody who is signed in, and calls the public API as the site does. */
export class Caller {
  constructor(
    readonly url: string,
    readonly session: StoredSession,
    readonly email: string,
    readonly password: string,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.call('GET', path);
  }
  post<T>(path: string, body: object = {}): Promise<T> {
    return this.call('POST', path, body);
  }
  patch<T>(path: string, body: object): Promise<T> {
    return this.call('PATCH', path, body);
  }
  delete<T>(path: string): Promise<T> {
    return this.call('DELETE', path);
  }

  private call<T>(method: string, path: string, body?: object): Promise<T> {
    return send<T>(this.url + path, method, body, this.session.accessToken);
  }
}

/** Calls the API, and fails with what it says when it refuses. */
export async function send<T>(url: string, method: string, body?: object, token?: string): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return (text ? JSON.parse(text) : {}) as T;
}

/** Signs in. */
export async function logIn(url: string, email: string, password: string): Promise<Caller> {
  const { user, tokens } = await send<Required<LoginResponseJson>>(`${url}/v1/auth/login`, 'POST', {
    email,
    password,
  });
  const session = {
    user: user as StoredSession['user'],
    accessToken: tokens.access_token ?? '',
    refreshToken: tokens.refresh_token ?? '',
  };
  return new Caller(url, session, email, password);
}

/** Makes a new organization and signs its owner in. */
export async function register(url: string): Promise<Caller> {
  registered += 1;
  const email = `ada-${process.pid}-${registered}@acme.example`;
  const name = 'Ada Byron';
  await send(`${url}/v1/auth/register`, 'POST', {
    user_type: 'organization',
    org_name: 'Acme',
    name,
    email,
    password,
    timezone: 'Europe/Stockholm',
  });
  return logIn(url, email, password);
}
