import type { Asked } from '~/data/explain';
import { toIso, toMs } from '~/lib/time/instant';

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
  const at = toMs(params.get('at'));
  return {
    service: params.get('service') ?? '',
    severity: severities.includes(severity) ? severity : 'critical',
    at: Number.isNaN(at) ? '' : toIso(at),
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
