import type { ServiceJson } from '@nightbell/proto';

/** What an incident page needs to know of a service. */
export interface ServiceState {
  id: string;
  name: string;
  health: string;
  tier: number;
}

/** The services an incident can be declared on, and how they are. */
export function toServiceStates(services: readonly ServiceJson[]): ServiceState[] {
  return services.map(({ id = '', name = '', health = 'healthy', tier = 0 }) => ({ id, name, health, tier }));
}
