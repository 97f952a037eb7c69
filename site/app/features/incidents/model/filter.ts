import type { Incident } from './incident';

/** The list's filter buttons: Open is triggered only, Closed is resolved only. */
export type Filter = 'all' | 'open' | 'closed';

/** The filter named in an address; all when it names none. */
export function toFilter(text: string | null): Filter {
  return text === 'open' || text === 'closed' ? text : 'all';
}

/** The incidents that pass the filter and contain the text in title, description or service name, whatever the case. */
export function matching(incidents: readonly Incident[], filter: Filter, text: string): Incident[] {
  const wanted = text.trim().toLowerCase();
  return incidents.filter((incident) => passes(incident, filter) && contains(incident, wanted));
}

function passes(incident: Incident, filter: Filter): boolean {
  if (filter === 'open') return incident.status === 'triggered';
  return filter === 'all' || incident.status === 'resolved';
}

function contains(incident: Incident, wanted: string): boolean {
  if (wanted === '') return true;
  return [incident.title, incident.description, incident.serviceName].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}
