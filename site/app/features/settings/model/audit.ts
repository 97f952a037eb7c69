import type { AuditEventJson } from '@nightbell/proto';

const verbs: Readonly<Record<string, string>> = {
  Create: 'created',
  Add: 'added',
  Update: 'changed',
  Change: 'changed',
  Delete: 'deleted',
  Revoke: 'revoked',
  Rotate: 'rotated',
  Get: 'read',
  Send: 'sent',
  Accept: 'accepted',
  Acknowledge: 'acknowledged',
  Resolve: 'resolved',
  Assign: 'assigned',
  Escalate: 'escalated',
  End: 'ended',
  Erase: 'deleted',
  Export: 'exported',
  Switch: 'switched',
  Reset: 'reset',
  Configure: 'configured',
  Test: 'tested',
  Disconnect: 'disconnected',
  Confirm: 'confirmed',
  Make: 'made',
};

/** What a call did, in words: "OrgService/UpdateUser" is "changed user". */
export function actionWords(method: string): string {
  const name = method.split('/').at(-1) ?? method;
  const [verb = name, ...rest] = name.match(/[A-Z][a-z]*/g) ?? [name];
  return [verbs[verb] ?? verb.toLowerCase(), ...rest.map((word) => word.toLowerCase())]
    .join(' ')
    .replace('api key', 'API key');
}

/** The entries as a file that spreadsheets read. */
export function toCSV(entries: readonly AuditEventJson[]): string {
  const head = [
    'at',
    'actor_kind',
    'actor_name',
    'actor_id',
    'method',
    'outcome',
    'address',
    'request_id',
    'request',
  ] as const;
  const lines = entries.map((entry) => head.map((field) => cell(String(entry[field] ?? ''))).join(','));
  return [head.join(','), ...lines, ''].join('\r\n');
}

// A cell that begins like a formula would be run by a spreadsheet (OWASP, CSV injection).
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
