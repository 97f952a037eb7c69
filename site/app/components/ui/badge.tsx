import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon';

/** A small label. At most two in a row. */
export function Badge({
  tone = '',
  icon,
  children,
}: {
  tone?: '' | 'amber' | 'critical' | 'ok';
  icon?: IconName;
  children: ReactNode;
}) {
  return (
    <span className={`badge ${tone}`}>
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
    <span className={amber ? 'count amber' : 'count'}>
      {value}
      {label && <span className="visually-hidden"> {label}</span>}
    </span>
  );
}
