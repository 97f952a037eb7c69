import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link } from 'react-router';
import { isDocs } from '~/lib/paths';
import * as styles from './button.module.css';
import { Icon, type IconName } from './icon';

/** `person` is amber and only for what needs a person, such as Acknowledge. */
export type ButtonLook = 'plain' | 'primary' | 'person' | 'quiet' | 'danger';
/** `md` is the control height, `sm` for rows, `lg` for dialogs and the landing page. */
export type ButtonSize = 'sm' | 'md' | 'lg';

interface Shape {
  look?: ButtonLook;
  size?: ButtonSize;
  icon?: IconName;
  /** Every label the button can have; its width then fits the longest and stays. */
  labels?: readonly string[];
}

type ButtonProps = Shape & ButtonHTMLAttributes<HTMLButtonElement>;

/** A button. It is `type="button"` unless told otherwise, so it never submits by accident. */
export function Button({
  look,
  size,
  icon,
  labels,
  children,
  type = 'button',
  className,
  ...rest
}: ButtonProps) {
  return (
    <button type={type} {...wear(look, size, className)} {...rest}>
      {icon && <Icon name={icon} />}
      <Label labels={labels}>{children}</Label>
    </button>
  );
}

/** A link that looks like a button. Absolute and hash targets work as in any link. */
export function ButtonLink({
  to,
  look,
  size,
  icon,
  children,
  className,
}: Shape & { to: string; children: ReactNode; className?: string }) {
  return (
    <Link to={to} reloadDocument={isDocs(to)} {...wear(look, size, className)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  label: string;
  look?: ButtonLook;
  size?: ButtonSize;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that shows only an icon; the label is what assistive technology reads. */
export function IconButton({ icon, label, look = 'quiet', size, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" aria-label={label} data-square {...wear(look, size, className)} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

function Label({ labels, children }: { labels?: readonly string[]; children: ReactNode }) {
  if (!labels) return children;
  const longest = labels.reduce((a, b) => (b.length > a.length ? b : a), '');
  return (
    <span className={styles.steady} data-longest={longest}>
      {children}
    </span>
  );
}

function wear(look?: ButtonLook, size?: ButtonSize, extra?: string) {
  return {
    className: extra ? `${styles.button} ${extra}` : styles.button,
    'data-look': look,
    'data-size': size,
  };
}
