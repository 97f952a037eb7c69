import type { ServiceJson } from '@nightbell/proto';
import type { Choice } from '~/components/ui/search-select';

/** The services that can be worked on. */
export function toChoices(services: readonly ServiceJson[]): Choice[] {
  return services.map(({ id = '', name = '' }) => ({ id, word: name, icon: 'services' }));
}
