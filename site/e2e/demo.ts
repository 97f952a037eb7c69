import { createHash } from 'node:crypto';

// Rows of the demo workspace have the same keys in every installation, so that addresses in a browser's
// history stay right: the SHA-1 UUID of a name, below the workspace's own, below DNS (RFC 9562, 5.5).
const workspace = uuidOf('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'demo.nightbell.example');

type Kind = 'person' | 'team' | 'policy' | 'schedule' | 'service' | 'maintenance';

/** The id of a row of the demo workspace, by the name that api/internal/demo/workspace.yaml gives it. */
export function idOf(kind: Kind, name: string): string {
  return uuidOf(workspace, `${kind}/${name}`);
}

/** The address of the incident that people call by these four digits. */
export function incident(digits: string): string {
  return `/incidents/${uuidOf(workspace, `incident/${digits}`).slice(0, -digits.length)}${digits}`;
}

/** The address of a service, by its name. */
export function service(name: string): string {
  return `/services/${idOf('service', name)}`;
}

/** The address of an escalation policy, by its name. */
export function policy(name: string): string {
  return `/oncall/policies/${idOf('policy', name)}`;
}

/** The address of a schedule's form, by its name. */
export function schedule(name: string): string {
  return `/oncall/schedules/${idOf('schedule', name)}`;
}

/** Triggered, with three alerts and a comment: nobody acknowledges it, because every test looks at it. */
export const triggered = incident('c41e');

function uuidOf(space: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(space.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
