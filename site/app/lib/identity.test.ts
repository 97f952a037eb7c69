import { expect, it } from 'vitest';
import { identityByToken } from './identity';

const token = (claims: object) => `h.${btoa(JSON.stringify(claims)).replaceAll('=', '')}.s`;
const session = (user: object, accessToken: string) => ({
  user: { name: 'Mara', ...user },
  accessToken,
  refreshToken: 'r',
});

it.each([
  ['the token says both', session({}, token({ sub: 'u1', org: 'o1' })), 'o1/u1'],
  ['the person is the same', session({ id: 'u1', org_id: 'o1' }, token({ sub: 'u1', org: 'o1' })), 'o1/u1'],
  ['the token is no JWT', session({ id: 'u1', org_id: 'o1' }, 'opaque'), 'o1/u1'],
  ['the token is of another person', session({ id: 'u1' }, token({ sub: 'u2', org: 'o1' })), null],
  [
    'the token is of another organization',
    session({ id: 'u1', org_id: 'o1' }, token({ sub: 'u1', org: 'o2' })),
    null,
  ],
])('%s', (_, stored, identity) => expect(identityByToken(stored)).toBe(identity));
