import type { ServiceJson } from '@nightbell/proto';
import type { Option } from '~/components/ui/field';

/** The services one can ask about. */
export function toOptions(services: readonly ServiceJson[]): Option[] {
  return services.map(({ id = '', name = '' }) => ({ value: id, word: name }));
}
