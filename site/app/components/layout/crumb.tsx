import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from '~/components/ui/icon';
import * as styles from './crumb.module.css';

interface CrumbProps {
  /** The list that the page belongs to. */
  to: string;
  parent: string;
  /** What the page is about; its kind while the name is not known. */
  here: ReactNode;
  children?: ReactNode;
}

/** The way back to the list, above the head of a page about one of its things. */
export function Crumb({ to, parent, here, children }: CrumbProps) {
  return (
    <nav className={styles.crumb} aria-label="Breadcrumb">
      <Link to={to}>{parent}</Link>
      <Icon name="chevron-right" />
      <span aria-current="page">{here}</span>
      {children}
    </nav>
  );
}
