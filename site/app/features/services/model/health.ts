import type { ServiceJson } from '@nightbell/proto';

const order = ['down', 'degraded'];

/** The services that are down, then the degraded ones, then the others; each kind in the order it had. */
export function worstFirst(services: readonly ServiceJson[]): readonly ServiceJson[] {
  const rank = ({ health = '' }: ServiceJson) =>
    order.includes(health) ? order.indexOf(health) : order.length;
  return services.toSorted((a, b) => rank(a) - rank(b));
}
