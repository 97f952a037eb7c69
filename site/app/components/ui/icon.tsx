import sprite from '~/assets/icons.svg';
import * as styles from './icon.module.css';

/** Every symbol of assets/icons.svg; a test keeps the two equal. */
export const iconNames = [
  'acknowledged',
  'alert',
  'analytics',
  'arrow',
  'assign',
  'bolt',
  'chart',
  'chat',
  'check',
  'chevron-down',
  'chevron-left',
  'chevron-right',
  'chevron-up',
  'clock',
  'copy',
  'critical',
  'dashboard',
  'degraded',
  'deploy',
  'down',
  'download',
  'edit',
  'filter',
  'healthy',
  'high',
  'inbox',
  'incidents',
  'integrations',
  'ladder',
  'link',
  'logo',
  'logout',
  'low',
  'mail',
  'medium',
  'menu',
  'monitor',
  'moon',
  'oncall',
  'pause',
  'phone',
  'play',
  'plus',
  'push',
  'question',
  'refresh',
  'resolved',
  'search',
  'services',
  'shield',
  'skip',
  'slack',
  'sms',
  'star',
  'sun',
  'swap',
  'table',
  'trash',
  'triggered',
  'up',
  'users',
  'watch',
  'webhook',
  'wrench',
  'x',
] as const;

/** The name of a symbol in the sprite. */
export type IconName = (typeof iconNames)[number];

/** A 16 px line icon. It is decoration: the words or the label beside it carry the meaning. */
export function Icon({ name, className = styles.icon }: { name: IconName; className?: string }) {
  return (
    <svg className={className} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
