import { expect, test } from 'vitest';
import { actionWords, toCSV } from './audit';

test.each([
  ['OrgService/UpdateUser', 'changed user'],
  ['InvitationService/CreateInvitation', 'created invitation'],
  ['ApiKeyService/RevokeApiKey', 'revoked API key'],
  ['AuthService/ChangePassword', 'changed password'],
])('%s is said as %s', (method, words) => expect(actionWords(method)).toBe(words));

test('a file holds what a spreadsheet can read, and runs nothing', () => {
  const csv = toCSV([
    {
      at: '2026-03-24T10:00:00Z',
      actor_kind: 'user',
      actor_name: '=cmd()',
      method: 'A/B',
      request: '{"a": "b,c"}',
    },
  ]);
  expect(csv).toBe(
    'at,actor_kind,actor_name,actor_id,method,outcome,address,request_id,request\r\n2026-03-24T10:00:00Z,user,\'=cmd(),,A/B,,,,"{""a"": ""b,c""}"\r\n',
  );
});
