import type { ReactNode } from 'react';
import { ThemeSwitch } from '~/components/ui/theme-switch';
import * as styles from './page-head.module.css';
import { Title } from './title';

/** A page's title, also that of the tab, the theme switch and the page's own actions. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.pageHead}>
      <Title>{title}</Title>
      <h1>{title}</h1>
      <ThemeSwitch />
      {children}
    </div>
  );
}
