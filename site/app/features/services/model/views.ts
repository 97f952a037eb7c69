import type { ServiceJson } from '@nightbell/proto';

/** What the list of services is narrowed to: all, those whose setup lacks something, those with open incidents. */
export type ServiceView = 'all' | 'configurations' | 'incidents';

/** The view that the page's address names; any other word is all. */
export function viewOf(word: string | null): ServiceView {
  return word === 'configurations' || word === 'incidents' ? word : 'all';
}

/** The services of a view, in the order they had. */
export function inView(services: readonly ServiceJson[], view: ServiceView): readonly ServiceJson[] {
  if (view === 'configurations') return services.filter((service) => lacks(service).length > 0);
  if (view === 'incidents') return services.filter((service) => (service.open_incident_count ?? 0) > 0);
  return services;
}

/**
 * What somebody at night would look for and not find. Policy and tier are never missing: the organization's
 * default policy pages where none was chosen, and the tier is 3.
 */
export function lacks({ owner, team, repo_url }: ServiceJson): readonly string[] {
  const has = {
    Owner: owner?.name || team?.name,
    Repo: repo_url,
  };
  return Object.entries(has).flatMap(([name, value]) => (value ? [] : [name]));
}
