import type { IconName } from '~/components/ui/icon';
import { paths } from '~/lib/paths';

/** A page of the sidebar. */
export interface Page {
  word: string;
  icon: IconName;
  to: string;
  /** The keys that lead there. */
  keys?: string;
}

/** The pages in the order of the sidebar. */
export const pages: readonly Page[] = [
  { word: 'Dashboard', icon: 'dashboard', to: paths.dashboard, keys: 'g d' },
  { word: 'Incidents', icon: 'incidents', to: paths.incidents, keys: 'g i' },
  { word: 'On-Call', icon: 'oncall', to: paths.onCall, keys: 'g o' },
  { word: 'Services', icon: 'services', to: paths.services, keys: 'g s' },
  { word: 'Users', icon: 'users', to: paths.users, keys: 'g u' },
  { word: 'Analytics', icon: 'analytics', to: paths.analytics, keys: 'g a' },
  { word: 'Integrations', icon: 'integrations', to: paths.integrations, keys: 'g n' },
];
