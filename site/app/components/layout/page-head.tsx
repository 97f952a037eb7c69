import type { ReactNode } from 'react';
import { ThemeSwitch } from '~/components/ui/theme-switch';
import * as styles from './page-head.module.css';

/** A page's title, the theme switch and the page's own actions. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.pageHead}>
      <h1>{title}</h1>
      <ThemeSwitch />
      {children}
    </div>
  );
}
