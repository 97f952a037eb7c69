import type { Asked } from '~/data/explain';

/** Who would be paged for a service and a severity at a time: what the page's address carries. */
export interface Question {
  /** Empty: an incident without a service. */
  service: string;
  severity: string;
  /** An RFC 3339 time; empty is now. */
  at: string;
}

const severities = ['critical', 'high', 'medium', 'low'];

/** The question of an address. What cannot be understood is left out, so that an old link still opens. */
export function toQuestion(params: URLSearchParams): Question {
  const severity = params.get('severity') ?? '';
  const at = Date.parse(params.get('at') ?? '');
  return {
    service: params.get('service') ?? '',
    severity: severities.includes(severity) ? severity : 'critical',
    at: Number.isNaN(at) ? '' : new Date(at).toISOString(),
  };
}

/** The address that carries a question, without what goes without saying. */
export function toParams({ service, severity, at }: Question): Record<string, string> {
  return { ...(service ? { service } : {}), severity, ...(at ? { at } : {}) };
}

/** What the server is asked. */
export function asked({ service, severity, at }: Question): Asked {
  return { service_id: service, severity, at };
}

/** A time as a datetime field of the reader's zone holds it: 2026-11-21T20:00. */
export function toField(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The time of such a field; empty while it is incomplete. */
export function fromField(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
