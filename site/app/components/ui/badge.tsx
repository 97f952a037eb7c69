import type { ReactNode } from 'react';
import * as styles from './badge.module.css';
import { Icon, type IconName } from './icon';

/** A small label. At most two in a row. */
export function Badge({
  tone,
  icon,
  children,
}: {
  tone?: 'amber' | 'critical' | 'ok';
  icon?: IconName;
  children: ReactNode;
}) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {icon && <Icon name={icon} className="" />}
      {children}
    </span>
  );
}

/** A number in a pill; amber when it counts what needs a person. `label` says what is counted. */
export function Count({
  value,
  amber = false,
  label,
}: {
  value: number | string;
  amber?: boolean;
  label?: string;
}) {
  return (
    <span className={styles.count} data-tone={amber ? 'amber' : undefined}>
      {value}
      {label && <span className="visually-hidden"> {label}</span>}
    </span>
  );
}
